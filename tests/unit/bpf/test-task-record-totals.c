// SPDX-License-Identifier: GPL-2.0-or-later
/* The totals of a process: those of its exited threads and of its living ones. */
#include "task-record.h"

static struct task_record_rules rules;
static struct process_record process;
static struct process_record_sum sum;
static struct thread_sample sample;

static int setup(void **state)
{
	uint64_t number = 1;

	(void)state;
	rules = values_rules();
	process = (struct process_record){.flags = TASK_RECORD_IS_PROCESS, .tgid = VALUES_TGID};
	for (size_t at = offsetof(struct process_record, io); at < sizeof(process);
	     at += sizeof(number), number++)
		memcpy((char *)&process + at, &number, sizeof(number));
	sum = (struct process_record_sum){0};
	return 0;
}

static int done(void **state)
{
	(void)state;
	sample_done(&sample);
	return 0;
}

static void make(void)
{
	sample_reset(&sample);
	process_record_totals(&rules, &process, &sum, &sample);
}

#define assert_total(id_, expected_)                                                       \
	do {                                                                               \
		assert_true(sample.process_totals_seen >> PROCESS_TOTAL_##id_ & 1);        \
		assert_int_equal(sample.process_totals[PROCESS_TOTAL_##id_], (expected_)); \
	} while (0)
#define assert_no_total(id_) assert_false(sample.process_totals_seen >> PROCESS_TOTAL_##id_ & 1)

static void test_exited_and_living(void **state)
{
	struct task_record values = values_thread();

	(void)state;
	process_record_add(&sum, &values);
	process_record_add(&sum, &values);
	process.minflt = 7;
	make();
	assert_total(minflt, 7 + 2 * values.minflt);
	assert_total(majflt, 2 * values.majflt);
	assert_total(rchar, process.io.rchar + 2 * values.io.rchar);
	assert_total(wchar, process.io.wchar + 2 * values.io.wchar);
	assert_total(syscr, process.io.syscr + 2 * values.io.syscr);
	assert_total(syscw, process.io.syscw + 2 * values.io.syscw);
	assert_total(read_bytes, process.io.read_bytes + 2 * values.io.read_bytes);
	assert_total(write_bytes, process.io.write_bytes + 2 * values.io.write_bytes);
	assert_total(cancelled_write_bytes,
	             process.io.cancelled_write_bytes + 2 * values.io.cancelled_write_bytes);
	assert_total(run_time_ns, process.stats_run_ns + 2 * values.run_ns);
	assert_total(cpu_run_real_total_ns, process.stats_real_ns + 2 * (values.sampled_user_ns +
	                                                                 values.sampled_system_ns));
	assert_total(wait_time_ns, process.stats_cpu_delay_ns + 2 * values.wait_ns);
	assert_total(timeslices, process.stats_cpu_count + 2 * values.timeslices);
	assert_total(cpu_delay_count, process.stats_cpu_count + 2 * values.timeslices);
	assert_total(cpu_delay_total_ns, process.stats_cpu_delay_ns + 2 * values.wait_ns);
#define CHECK_DELAY(name_)                                                                  \
	do {                                                                                \
		const unsigned at = THREAD_DELAY_##name_;                                   \
		assert_total(name_##_delay_count,                                           \
		             process.stats_delay_counts[at] + 2 * values.delay_counts[at]); \
		assert_total(name_##_delay_total_ns,                                        \
		             process.stats_delay_ns[at] + 2 * values.delays[at].total_ns);  \
	} while (0)
	CHECK_DELAY(swapin);
	CHECK_DELAY(freepages);
	CHECK_DELAY(thrashing);
	CHECK_DELAY(compact);
	CHECK_DELAY(wpcopy);
	CHECK_DELAY(irq);
	assert_int_equal(sample.outcomes[SOURCE_process_stat], OUTCOME_read);
	assert_int_equal(sample.outcomes[SOURCE_process_io], OUTCOME_read);
	assert_int_equal(sample.outcomes[SOURCE_process_taskstats], OUTCOME_read);
	assert_true(sample.has_process_totals);
	assert_int_equal(sample.process_totals_seen, (UINT64_C(1) << PROCESS_TOTAL_COUNT) - 1);
}

/* The proportion is that of the whole process, not of each thread. */
static void test_cpu_time(void **state)
{
	struct task_record values = {.run_ns = 1000000000, .sampled_user_ns = 1, .state = 'S'};

	(void)state;
	process_record_add(&sum, &values);
	values = (struct task_record){.run_ns = 1000000000, .sampled_system_ns = 3, .state = 'S'};
	process_record_add(&sum, &values);
	make();
	assert_total(utime_clock_ticks, 50);
	assert_total(stime_clock_ticks, 150);
	process.run_ns = 2000000000;
	process.prev_user_ns = 1500000000;
	make();
	assert_total(utime_clock_ticks, 150);
	assert_total(stime_clock_ticks, 250);
	values.flags = TASK_RECORD_TIME_RUNS;
	process_record_add(&sum, &values);
	make();
	assert_no_total(utime_clock_ticks);
	assert_no_total(stime_clock_ticks);
	assert_total(minflt, 0);
}

static void test_children(void **state)
{
	(void)state;
	process.children_user_ns = 9999999;
	make();
	assert_total(rchar, process.io.rchar);
	process.children_user_ns = 10000000;
	make();
	assert_no_total(rchar);
	assert_int_equal(sample.outcomes[SOURCE_process_io], OUTCOME_off);
	process.children_user_ns = 0;
	process.children_minflt = 1;
	make();
	assert_no_total(read_bytes);
	assert_total(minflt, 0);
}

static void test_exiting(void **state)
{
	struct task_record values = values_thread();

	(void)state;
	/* It is among the exited ones already. */
	values.state = 'Z';
	values.flags |= TASK_RECORD_EXITING;
	process_record_add(&sum, &values);
	make();
	assert_total(timeslices, process.stats_cpu_count);
	assert_total(minflt, values.minflt);
	assert_total(rchar, process.io.rchar + values.io.rchar);
	values.state = 'R';
	process_record_add(&sum, &values);
	make();
	assert_no_total(timeslices);
	assert_no_total(swapin_delay_count);
	assert_int_equal(sample.outcomes[SOURCE_process_taskstats], OUTCOME_gone);
	assert_total(minflt, 2 * values.minflt);
}

static void test_rules(void **state)
{
	(void)state;
	rules.outcomes[SOURCE_process_io] = OUTCOME_denied;
	rules.outcomes[SOURCE_process_taskstats] = OUTCOME_off;
	make();
	assert_no_total(rchar);
	assert_no_total(timeslices);
	assert_int_equal(sample.outcomes[SOURCE_process_io], OUTCOME_denied);
	assert_int_equal(sample.outcomes[SOURCE_process_taskstats], OUTCOME_off);

	rules = values_rules();
	rules.taskstats.delays = TASKSTATS_DELAYS_OFF;
	make();
	assert_total(timeslices, process.stats_cpu_count);
	assert_no_total(swapin_delay_count);
	rules.taskstats.delays = TASKSTATS_DELAYS_LATER;
	make();
	assert_total(swapin_delay_count, process.stats_delay_counts[THREAD_DELAY_swapin]);
	memset(process.stats_delay_counts, 0, sizeof(process.stats_delay_counts));
	memset(process.stats_delay_ns, 0, sizeof(process.stats_delay_ns));
	make();
	assert_no_total(swapin_delay_count);
	rules.taskstats.delays = TASKSTATS_DELAYS_BOOT;
	make();
	assert_total(swapin_delay_count, 0);
	assert_total(irq_delay_count, 0);
	rules.taskstats.irq = false;
	rules.kept &= ~(uint32_t)TASK_RECORD_COMPACT;
	make();
	assert_no_total(irq_delay_count);
	assert_no_total(compact_delay_count);
	rules.taskstats.cpu_delay = false;
	rules.kept &= ~(uint32_t)TASK_RECORD_CHARS;
	make();
	assert_no_total(timeslices);
	assert_no_total(read_bytes);
}

static void test_overflow(void **state)
{
	struct task_record values = values_thread();

	(void)state;
	memset(&values.io, 0xff, sizeof(values.io));
	values.minflt = UINT64_MAX;
	process_record_add(&sum, &values);
	process_record_add(&sum, &values);
	make();
	assert_total(minflt, UINT64_MAX);
	assert_total(rchar, UINT64_MAX);
}

/* The threads have had so many others in their process, at their turns. */
static bool are_whole_of(const uint32_t *tids, const uint64_t *births, size_t count,
                         const uint32_t *nr_threads)
{
	process.read_boottime_ns = 1000;
	process.nr_threads = 3;
	sum = process_record_begin(&process);
	for (size_t i = 0; i < count; i++) {
		struct task_record values = values_thread();

		values.tgid = 50;
		values.tid = tids[i];
		values.born_boottime_ns = births[i];
		values.flags |= nr_threads[i] << TASK_RECORD_THREADS_SHIFT;
		process_record_add(&sum, &values);
	}
	return process_record_are_whole(&process, &sum);
}

static bool are_whole(const uint32_t *tids, const uint64_t *births, size_t count)
{
	static const uint32_t same[] = {3, 3, 3, 3};

	return are_whole_of(tids, births, count, same);
}

/* Each thread that was there when the process was read, and no other one. */
static void test_whole(void **state)
{
	static const uint32_t behind[] = {50, 51, 52, 53}, before[] = {50, 7, 8, 9},
	                      around[] = {50, 7, 51, 52};
	static const uint64_t births[] = {1, 2, 1000, 1001}, old[] = {1, 2, 3, 4};
	static const uint32_t numbers[][3] = {{3, 4, 3}, {3, 3, 2}, {2, 3, 3}};

	(void)state;
	process.flags &= ~(uint32_t)TASK_RECORD_CHANGED;
	assert_true(are_whole(behind, births, 3));
	assert_true(are_whole(behind, births, 4));
	assert_true(are_whole(before, births, 4));
	/* One has exited before its turn; one has behind its turn. */
	assert_false(are_whole(behind, births, 2));
	assert_false(are_whole(before, old, 4));
	/* Both, if their number was another one at any turn. */
	assert_true(are_whole(around, births, 3));
	for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_false(are_whole_of(around, births, 3, numbers[i]));
	assert_true(are_whole_of(behind, births, 3, numbers[0]));
	process.flags |= TASK_RECORD_CHANGED;
	assert_false(are_whole(behind, births, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(test_exited_and_living, setup),
	        cmocka_unit_test_setup(test_cpu_time, setup),
	        cmocka_unit_test_setup(test_children, setup),
	        cmocka_unit_test_setup(test_exiting, setup),
	        cmocka_unit_test_setup(test_rules, setup),
	        cmocka_unit_test_setup(test_overflow, setup),
	        cmocka_unit_test_setup(test_whole, setup),
	};

	return cmocka_run_group_tests(tests, NULL, done);
}
