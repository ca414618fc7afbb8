// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "random.h"
#include "samples.h"
#include "snapshot/thread-store.h"
#include "snapshots.h"

/* Whatever a sample can hold comes back as it was. */
static void keeps_everything(void **state)
{
	enum { THREADS = 2000 };
	cleanup_(thread_store_done) struct thread_store store = {0};
	struct random random = random_start(1, 0), again;
	struct thread_sample written = {0}, read = {0};

	(void)state;
	again = random;
	for (uint32_t i = 0; i < THREADS; i++) {
		random_thread(&random, &written);
		assert_int_equal(thread_store_add(&store, &written), i);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		enum source_outcome rules[SOURCE_COUNT] = {0};

		random_thread(&again, &written);
		thread_store_get(&store, i, &read);
		assert_int_equal(read.tid, thread_store_key(&store, i)->tid);
		assert_memory_equal(read.outcomes, written.outcomes, sizeof(read.outcomes));
		assert_memory_equal(&read.malformed, &written.malformed, sizeof(read.malformed));
		memset(written.outcomes, 0, sizeof(written.outcomes));
		memset(read.outcomes, 0, sizeof(read.outcomes));
		assert_true(sample_survives(&written, &read, rules));
	}
	sample_done(&written);
	sample_done(&read);
}

/* Every row of a tid is found, the last one first, and no row of another one. */
static void finds_all_of_a_tid(void **state)
{
	enum { TIDS = 700, LIVES = 5 };
	cleanup_(thread_store_done) struct thread_store store = {0};
	struct thread_sample sample = {0};

	(void)state;
	assert_int_equal(thread_store_find(&store, 1), THREAD_STORE_NONE);
	for (uint32_t life = 0; life < LIVES; life++)
		for (uint32_t tid = 1; tid <= TIDS; tid++) {
			sample_reset(&sample);
			sample.tid = sample.tgid = tid;
			sample.start_time_clock_ticks = life;
			thread_store_add(&store, &sample);
		}
	for (uint32_t tid = 1; tid <= TIDS; tid++) {
		uint32_t row = thread_store_find(&store, tid);

		for (uint32_t life = LIVES; life-- > 0; row = thread_store_before(&store, row)) {
			assert_int_not_equal(row, THREAD_STORE_NONE);
			assert_int_equal(thread_store_key(&store, row)->tid, tid);
			assert_int_equal(thread_store_key(&store, row)->start_time_clock_ticks,
			                 life);
		}
		assert_int_equal(row, THREAD_STORE_NONE);
	}
	assert_int_equal(thread_store_find(&store, TIDS + 1), THREAD_STORE_NONE);
	sample_done(&sample);
}

static uint32_t add_key(struct thread_store *store, uint32_t tid, uint32_t tgid, uint64_t start)
{
	struct thread_sample sample = {.tid = tid, .tgid = tgid, .start_time_clock_ticks = start};
	uint32_t row = thread_store_add(store, &sample);

	sample_done(&sample);
	return row;
}

/* Threads that share two of tid, tgid and start time are distinguished; of several with the same three, it is the last. */
static void finds_a_key(void **state)
{
	enum { ROWS = 3000, AGAIN = 7 };
	cleanup_(thread_store_done) struct thread_store store = {0};
	struct thread_key absent = {1, 1, ROWS + 1, ROWS + 1};
	uint32_t last;

	(void)state;
	assert_int_equal(thread_store_find_key(&store, &absent), THREAD_STORE_NONE);
	for (uint32_t i = 1; i <= ROWS; i++) {
		add_key(&store, 1, 1, i);
		add_key(&store, 1, i + 1, 1);
		add_key(&store, i + 1, 1, 1);
	}
	for (uint32_t row = 0; row < store.count; row++)
		assert_int_equal(thread_store_find_key(&store, thread_store_key(&store, row)), row);
	assert_int_equal(thread_store_find_key(&store, &absent), THREAD_STORE_NONE);
	last = add_key(&store, 1, 1, AGAIN);
	assert_int_equal(thread_store_find_key(&store, thread_store_key(&store, last)), last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(keeps_everything),
	        cmocka_unit_test(finds_all_of_a_tid),
	        cmocka_unit_test(finds_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
