// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-sums.h"

#include "check.h"
#include "samples.h"

static void add(struct job_sums *sums, uint64_t blkio_ns, bool impossible)
{
	struct thread_sample sample = {0};

	sample_set(&sample, run_time_ns, (struct counter_ns){1000000000});
	sample_set(&sample, minflt, (struct counter_count){3});
	if (impossible)
		sample_set_impossible(&sample, METRIC_blkio_delay_total_ns, blkio_ns);
	else if (blkio_ns > 0)
		sample_set(&sample, blkio_delay_total_ns, (struct counter_ns){blkio_ns});
	job_sums_add(sums, &sample);
	sample_done(&sample);
}

static void test_sums(void **state)
{
	struct job_sums sums = {0};
	struct job_values values = {0};

	(void)state;
	add(&sums, 500000000, false);
	add(&sums, 250000000, false);
	job_sums_set(&sums, &values);
	assert_float_equal(values.numbers[JOB_blkio_delay], .75, 1e-9);
	assert_float_equal(values.numbers[JOB_cpu_time], 2, 1e-9);
	assert_float_equal(values.numbers[JOB_minor_faults], 6, 0);
	assert_true(job_is_whole(&values, JOB_blkio_delay));
	assert_int_equal(values.sources[JOB_blkio_delay], JOB_SOURCE_exits);
	/* No thread has these. */
	assert_false(values.seen[JOB_irq_delay]);
}

/* An impossible value is left out of the sum and counted; a thread that has no value leaves it unknown. */
static void test_impossible(void **state)
{
	struct job_sums sums = {0};
	struct job_values values = {0};

	(void)state;
	add(&sums, 500000000, false);
	add(&sums, UINT64_C(3600000000000), true);
	job_sums_set(&sums, &values);
	assert_true(values.seen[JOB_blkio_delay]);
	assert_false(job_is_whole(&values, JOB_blkio_delay));
	assert_float_equal(values.numbers[JOB_blkio_delay], .5, 1e-9);
	assert_float_equal(values.impossible[JOB_blkio_delay], 1, 0);
	assert_true(job_is_whole(&values, JOB_cpu_time));
	/* Another source has all of it. */
	job_set(&values, JOB_blkio_delay, JOB_SOURCE_cgroup, 2);
	assert_true(job_is_whole(&values, JOB_blkio_delay));
	values = (struct job_values){0};
	add(&sums, 0, false);
	job_sums_set(&sums, &values);
	assert_false(values.seen[JOB_blkio_delay]);
	assert_float_equal(values.impossible[JOB_blkio_delay], 1, 0);
}

static void test_all_impossible(void **state)
{
	struct job_sums sums = {0};
	struct job_values values = {0};

	(void)state;
	add(&sums, UINT64_C(3600000000000), true);
	job_sums_set(&sums, &values);
	assert_false(values.seen[JOB_blkio_delay]);
	assert_float_equal(values.impossible[JOB_blkio_delay], 1, 0);
}

static void test_live(void **state)
{
	struct job_sums sums = {0};
	struct job_values values = {0};
	struct job_counters counters = {
	        .run_time = 4, .has_schedstat = true, .run_queue_wait = 2, .minor_faults = 5};

	(void)state;
	add(&sums, 500000000, false);
	job_sums_add_live(&sums, &counters);
	job_sums_set(&sums, &values);
	assert_float_equal(values.numbers[JOB_cpu_time], 5, 1e-9);
	assert_float_equal(values.numbers[JOB_minor_faults], 8, 0);
	/* A thread that goes on has no delays. */
	assert_false(values.seen[JOB_blkio_delay]);
	assert_false(values.seen[JOB_rchar]);
	counters.has_schedstat = false;
	values = (struct job_values){0};
	job_sums_add_live(&sums, &counters);
	job_sums_set(&sums, &values);
	assert_false(values.seen[JOB_cpu_time]);
	job_sums_forget(&sums);
	values = (struct job_values){0};
	job_sums_set(&sums, &values);
	assert_false(values.seen[JOB_minor_faults]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_sums),
	        cmocka_unit_test(test_impossible),
	        cmocka_unit_test(test_all_impossible),
	        cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
