// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-base.h"

#include "check.h"

static void test_what_was_before(void **state)
{
	struct job_base base = {
	        .has_live = true,
	        .live = {.has_schedstat = true,
	                 .run_time = .25,
	                 .run_queue_wait = 1,
	                 .minor_faults = 10,
	                 .has_switches = true,
	                 .voluntary_switches = 2,
	                 .has_io = true,
	                 .io = {[JOB_IO_RCHAR] = 7}},
	};
	struct job_values of_cgroup = {0}, values = {0};

	(void)state;
	job_set(&base.cgroup, JOB_cpu_time, JOB_SOURCE_cgroup, .5);
	job_set(&of_cgroup, JOB_cpu_time, JOB_SOURCE_cgroup, 2);
	job_set(&values, JOB_user_time, JOB_SOURCE_wait, 1);
	job_set(&values, JOB_system_time, JOB_SOURCE_wait, .75);
	job_set(&values, JOB_cpu_time, JOB_SOURCE_wait, 1.75);
	job_set(&values, JOB_minor_faults, JOB_SOURCE_wait, 100);
	job_set(&values, JOB_run_queue_wait, JOB_SOURCE_exits, 3);
	job_set(&values, JOB_rchar, JOB_SOURCE_wait, 5);
	job_base_subtract(&base, &of_cgroup, &values);
	assert_float_equal(of_cgroup.numbers[JOB_cpu_time], 1.5, 1e-12);
	assert_float_equal(values.numbers[JOB_user_time], 1, 1e-12);
	assert_float_equal(values.numbers[JOB_system_time], .5, 1e-12);
	assert_float_equal(values.numbers[JOB_cpu_time], 1.5, 1e-12);
	assert_float_equal(values.numbers[JOB_minor_faults], 90, 0);
	assert_float_equal(values.numbers[JOB_run_queue_wait], 2, 0);
	/* Never below zero, and never known for having been subtracted from. */
	assert_float_equal(values.numbers[JOB_rchar], 0, 0);
	assert_false(values.seen[JOB_voluntary_switches]);
}

/* Ticks of a short run may have seen user mode alone. */
static void test_copy_in_user_time(void **state)
{
	const struct job_base base = {.has_live = true,
	                              .live = {.has_schedstat = true, .run_time = .25}};
	struct job_values of_cgroup = {0}, values = {0};

	(void)state;
	job_set(&values, JOB_user_time, JOB_SOURCE_wait, .9);
	job_set(&values, JOB_system_time, JOB_SOURCE_wait, .1);
	job_set(&values, JOB_cpu_time, JOB_SOURCE_wait, 1);
	job_base_subtract(&base, &of_cgroup, &values);
	assert_float_equal(values.numbers[JOB_user_time], .75, 1e-12);
	assert_float_equal(values.numbers[JOB_system_time], 0, 1e-12);
	assert_float_equal(values.numbers[JOB_cpu_time], .75, 1e-12);
}

static void test_copy_that_was_not_read(void **state)
{
	const struct job_base base = {.rss = 0};
	struct job_values of_cgroup = {0}, values = {0};

	(void)state;
	job_set(&values, JOB_minor_faults, JOB_SOURCE_wait, 60);
	job_set(&values, JOB_major_faults, JOB_SOURCE_exits, 1);
	job_set(&values, JOB_cpu_time, JOB_SOURCE_wait, 1);
	job_base_subtract(&base, &of_cgroup, &values);
	assert_false(values.seen[JOB_minor_faults]);
	assert_true(values.seen[JOB_major_faults]);
	assert_true(values.seen[JOB_cpu_time]);
	assert_true(job_base_peak_rss() > 0);
}

static void test_copy_of_us(void **state)
{
	const struct job_base base = {.rss = 4 << 20};
	struct job_values values = {0};

	(void)state;
	job_base_check_largest(&base, 1000, &values);
	assert_false(values.seen[JOB_largest_rss]);
	job_set(&values, JOB_largest_rss, JOB_SOURCE_wait, 5 << 20);
	job_base_check_largest(&base, 1000, &values);
	assert_float_equal(values.numbers[JOB_largest_rss], (5 << 20), 0);
	job_set(&values, JOB_largest_rss, JOB_SOURCE_wait, 4 << 20);
	job_base_check_largest(&base, 1000, &values);
	assert_float_equal(values.numbers[JOB_largest_rss], 1000, 0);
	assert_int_equal(values.sources[JOB_largest_rss], JOB_SOURCE_samples);
	job_set(&values, JOB_largest_rss, JOB_SOURCE_wait, 4 << 20);
	job_base_check_largest(&base, 0, &values);
	assert_false(values.seen[JOB_largest_rss]);
	/* The records of the kernel are of the program itself. */
	job_set(&values, JOB_largest_rss, JOB_SOURCE_exits, 1 << 20);
	job_base_check_largest(&base, 0, &values);
	assert_true(values.seen[JOB_largest_rss]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_what_was_before),
	        cmocka_unit_test(test_copy_in_user_time),
	        cmocka_unit_test(test_copy_that_was_not_read),
	        cmocka_unit_test(test_copy_of_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
