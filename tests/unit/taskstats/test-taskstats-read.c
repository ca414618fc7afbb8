// SPDX-License-Identifier: GPL-2.0-or-later
/* When taskstats are asked for, and what becomes of the answers; the kernel's side is played here. */
#include "check.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "capture/process-read.h"
#include "taskstats/taskstats-read.h"

enum { VERSION = 13, PAYLOAD_LEN = 416, CPU_COUNT = 16, RUN_VIRTUAL = 72 };

/* The results of the next calls. */
static struct {
	int open_error;
	int batch_error; /* of the call itself */
	int reply_error; /* of the reply for the id below, or of all where it is 0 */
	uint32_t error_id;
	uint64_t run_ns[2]; /* of a process, in the first and in the second reply */
	unsigned asked, process_asked;
	size_t largest_batch;
} kernel;

static const struct taskstats_rules rules = {.cpu_delay = true};

int __wrap_taskstats_open(struct taskstats_client **ret_client);
int __wrap_taskstats_open(struct taskstats_client **ret_client)
{
	if (kernel.open_error == 0)
		*ret_client = mem_calloc(1, 1);
	return kernel.open_error;
}

void __wrap_taskstats_freep(struct taskstats_client **client);
void __wrap_taskstats_freep(struct taskstats_client **client)
{
	free(*client);
	*client = NULL;
}

static void put(struct taskstats_reply *reply, size_t offset, uint64_t value)
{
	memcpy(reply->payload + offset, &value, sizeof(value));
}

int __wrap_taskstats_ask(struct taskstats_client *client, bool process, const uint32_t *ids,
                         size_t count, struct taskstats_reply *replies);
int __wrap_taskstats_ask(struct taskstats_client *client, bool process, const uint32_t *ids,
                         size_t count, struct taskstats_reply *replies)
{
	assert_non_null(client);
	kernel.asked++;
	if (count > kernel.largest_batch)
		kernel.largest_batch = count;
	for (size_t i = 0; i < count; i++) {
		uint16_t version = VERSION;
		bool fails = kernel.error_id == 0 || kernel.error_id == ids[i];

		memset(&replies[i], 0, sizeof(replies[i]));
		replies[i].error = fails ? kernel.reply_error : 0;
		replies[i].len = PAYLOAD_LEN;
		memcpy(replies[i].payload, &version, sizeof(version));
		put(&replies[i], CPU_COUNT, ids[i] + 1000);
		if (process)
			put(&replies[i], RUN_VIRTUAL, kernel.run_ns[kernel.process_asked++ % 2]);
	}
	return kernel.batch_error;
}

static int setup(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	return 0;
}

static enum source_outcome read_one(struct taskstats_reader *reader, const uint32_t *ids,
                                    size_t index, size_t count, uint64_t *ret_cpu_count)
{
	struct thread_sample sample = {0};
	struct counter_count value = {0};
	enum source_outcome outcome = taskstats_read_thread(reader, ids, index, count, &sample);

	assert_int_equal(sample.outcomes[SOURCE_taskstats], outcome);
	assert_int_equal(sample_get(&sample, cpu_delay_count, &value), outcome == OUTCOME_read);
	*ret_cpu_count = value.v;
	sample_done(&sample);
	return outcome;
}

static void test_batches(void **state)
{
	struct taskstats_reader reader;
	uint32_t ids[100];
	uint64_t value;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		ids[i] = i + 1;
	taskstats_reader_init(&reader, true, &rules);
	assert_int_equal(reader.rule, OUTCOME_read);
	kernel.asked = 0;
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal(read_one(&reader, ids, i, 100, &value), OUTCOME_read);
		assert_int_equal(value, i + 1001);
	}
	assert_int_equal(kernel.asked, 4);
	assert_int_equal(kernel.largest_batch, TASKSTATS_BATCH);
	/* The next process's list may stand in the same memory. */
	for (uint32_t i = 0; i < 100; i++)
		ids[i] = i + 501;
	assert_int_equal(read_one(&reader, ids, 0, 3, &value), OUTCOME_read);
	assert_int_equal(value, 1501);
	taskstats_reader_done(&reader);
}

static void test_rules(void **state)
{
	static const struct {
		int open_error, reply_error, batch_error;
		enum source_outcome rule;
	} cases[] = {
	        {-ENOENT, 0, 0, OUTCOME_off},   {-EAFNOSUPPORT, 0, 0, OUTCOME_off},
	        {-EPERM, 0, 0, OUTCOME_denied}, {-EACCES, 0, 0, OUTCOME_denied},
	        {-EMFILE, 0, 0, OUTCOME_off},   {0, -EPERM, 0, OUTCOME_denied},
	        {0, -ESRCH, 0, OUTCOME_off},    {0, -ETIMEDOUT, 0, OUTCOME_off},
	        {0, 0, -EIO, OUTCOME_off},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct taskstats_reader reader;
		struct thread_sample sample = {0};
		unsigned asked;
		uint64_t value;

		setup(state);
		kernel.open_error = cases[i].open_error;
		kernel.reply_error = cases[i].reply_error;
		kernel.batch_error = cases[i].batch_error;
		taskstats_reader_init(&reader, true, &rules);
		assert_int_equal(reader.rule, cases[i].rule);
		asked = kernel.asked;
		assert_int_equal(read_one(&reader, &(uint32_t){7}, 0, 1, &value), cases[i].rule);
		assert_int_equal(taskstats_read_process(&reader, 7, &sample), cases[i].rule);
		assert_int_equal(kernel.asked, asked);
		taskstats_reader_done(&reader);
	}
}

static void test_not_live(void **state)
{
	struct taskstats_reader reader;
	uint64_t value;

	(void)state;
	taskstats_reader_init(&reader, false, &rules);
	assert_int_equal(reader.rule, OUTCOME_skipped);
	assert_int_equal(read_one(&reader, &(uint32_t){7}, 0, 1, &value), OUTCOME_skipped);
	assert_int_equal(kernel.asked, 0);
	taskstats_reader_done(&reader);
}

/* Errors in the middle: of one thread, of the permission, of the socket. */
static void test_later_errors(void **state)
{
	static const struct {
		int batch_error, reply_error;
		enum source_outcome outcome, next;
	} cases[] = {
	        {0, -ESRCH, OUTCOME_gone, OUTCOME_read},
	        {0, -EBADMSG, OUTCOME_malformed, OUTCOME_read},
	        {0, -EPERM, OUTCOME_denied, OUTCOME_denied},
	        {0, -ETIMEDOUT, OUTCOME_off, OUTCOME_off},
	        {-ENOTCONN, 0, OUTCOME_off, OUTCOME_off},
	};
	const uint32_t ids[] = {11, 12, 13};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct taskstats_reader reader;
		uint64_t value;

		setup(state);
		taskstats_reader_init(&reader, true, &rules);
		kernel.batch_error = cases[i].batch_error;
		kernel.reply_error = cases[i].reply_error;
		kernel.error_id = 11;
		assert_int_equal(read_one(&reader, ids, 0, 3, &value), cases[i].outcome);
		kernel.batch_error = kernel.reply_error = 0;
		assert_int_equal(read_one(&reader, ids, 1, 3, &value), cases[i].next);
		taskstats_reader_done(&reader);
	}
}

/* An exiting thread is in a reading twice: in the first, in the second, or in both. */
static void test_process_smaller_reading(void **state)
{
	static const struct {
		uint64_t first, second, exiting, want;
	} cases[] = {
	        {100, 110, 0, 100},  {190, 110, 0, 110},
	        {100, 100, 0, 100},  {190, 200, 90, 110}, /* on its way all the time */
	        {100, 200, 90, 100},                      /* from behind the first reading on */
	        {100, 110, 500, 0},
	};
	static const uint64_t none[PROCESS_TOTAL_COUNT];
	enum { RUN = PROCESS_TOTAL_run_time_ns, TICKS = PROCESS_TOTAL_utime_clock_ticks };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t exiting[PROCESS_TOTAL_COUNT] = {[RUN] = cases[i].exiting, [TICKS] = 7};
		struct taskstats_reader taskstats;
		struct process_reader reader;

		setup(state);
		kernel.run_ns[0] = cases[i].first;
		kernel.run_ns[1] = cases[i].second;
		taskstats_reader_init(&taskstats, true, &rules);
		process_reader_init(&reader, -1,
		                    &(struct process_wishes){.smaps = CAPTURE_SMAPS_OFF},
		                    &taskstats);
		assert_int_equal(taskstats_read_process(&taskstats, 7, &reader.sample),
		                 OUTCOME_read);
		reader.sample.process_totals[TICKS] = 9;
		reader.sample.process_totals_seen |= 1u << TICKS;
		assert_int_equal(process_read_again(&reader, 7), OUTCOME_read);
		process_keep_smaller(&reader, exiting);
		assert_int_equal(reader.sample.process_totals[RUN], cases[i].want);
		assert_true(reader.sample.process_totals_seen & 1u << RUN);
		/* Other sources do not count anything twice. */
		assert_int_equal(reader.sample.process_totals[TICKS], 9);
		assert_true(reader.sample.process_totals_seen & 1u << TICKS);

		reader.again.process_totals_seen = 0;
		process_keep_smaller(&reader, none);
		assert_false(reader.sample.process_totals_seen & 1u << RUN);
		process_reader_done(&reader);
		taskstats_reader_done(&taskstats);
	}
}

static void test_process_gone(void **state)
{
	struct taskstats_reader reader;
	struct thread_sample sample = {0};

	(void)state;
	taskstats_reader_init(&reader, true, &rules);
	kernel.reply_error = -EINVAL;
	assert_int_equal(taskstats_read_process(&reader, 7, &sample), OUTCOME_gone);
	assert_false(sample.has_process_totals);
	kernel.reply_error = 0;
	assert_int_equal(taskstats_read_process(&reader, 8, &sample), OUTCOME_read);
	taskstats_reader_done(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(test_batches, setup),
	        cmocka_unit_test_setup(test_rules, setup),
	        cmocka_unit_test_setup(test_not_live, setup),
	        cmocka_unit_test_setup(test_later_errors, setup),
	        cmocka_unit_test_setup(test_process_smaller_reading, setup),
	        cmocka_unit_test_setup(test_process_gone, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
