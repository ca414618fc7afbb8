// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <string.h>

#include "measure/repeats.h"

static unsigned derived(enum derived_id id)
{
	return (unsigned)METRIC_COUNT + id;
}

/* A measure that repeated itself, by whatever way, would have no family. */
static void test_rows_are_no_circle(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MEASURE_COUNT; i++) {
		unsigned at = i, steps = 0;

		for (const struct repeat_desc *repeat; (repeat = measure_repeat(at));
		     at = repeat->of[0]) {
			assert_in_range(repeat->of_count, 1, ARRAY_SIZE(repeat->of));
			assert_true(strlen(repeat->why) > 0);
			for (unsigned k = 0; k < repeat->of_count; k++)
				assert_int_not_equal(repeat->of[k], i);
			assert_true(++steps < MEASURE_COUNT);
		}
		assert_int_equal(measure_family(i), at);
	}
}

static void test_families(void **state)
{
	(void)state;
	assert_null(measure_repeat(METRIC_run_time_ns));
	assert_int_equal(measure_family(METRIC_run_time_ns), METRIC_run_time_ns);
	assert_int_equal(measure_family(METRIC_utime_clock_ticks), METRIC_run_time_ns);
	assert_int_equal(measure_family(derived(DERIVED_cpu_percent_host)), METRIC_run_time_ns);
	assert_int_equal(measure_family(METRIC_cpu_delay_total_ns), METRIC_wait_time_ns);
	assert_int_equal(measure_family(METRIC_cpu_delay_count), METRIC_voluntary_csw);
	assert_int_equal(measure_family(METRIC_nonvoluntary_csw), METRIC_nonvoluntary_csw);
	assert_int_equal(measure_family(METRIC_nr_threads), METRIC_thread_count);
	assert_int_equal(measure_family(METRIC_minflt), METRIC_minflt);
}

static bool is_listed(const void *context, unsigned measure)
{
	return ((const bool *)context)[measure];
}

static bool is_said(const bool *listed, unsigned measure)
{
	return measure_is_said(measure, is_listed, listed);
}

static void test_first_one_that_is_there_says_it(void **state)
{
	bool listed[MEASURE_COUNT] = {false};

	(void)state;
	assert_false(is_said(listed, METRIC_run_time_ns));
	assert_false(is_said(listed, METRIC_cpu_delay_count));
	listed[METRIC_timeslices] = true;
	assert_true(is_said(listed, METRIC_cpu_delay_count));
	assert_false(is_said(listed, METRIC_timeslices));
	/* Both of two parts are needed. */
	listed[METRIC_voluntary_csw] = true;
	assert_false(is_said(listed, METRIC_timeslices));
	listed[METRIC_nonvoluntary_csw] = true;
	assert_true(is_said(listed, METRIC_timeslices));
	/* A measure that others repeat is repeated, whether it has a value or not. */
	listed[METRIC_timeslices] = false;
	assert_true(is_said(listed, METRIC_cpu_delay_count));
	listed[METRIC_run_time_ns] = true;
	assert_true(is_said(listed, derived(DERIVED_cpu_percent_host)));
	assert_false(is_said(listed, METRIC_run_time_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_rows_are_no_circle),
	        cmocka_unit_test(test_families),
	        cmocka_unit_test(test_first_one_that_is_there_says_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
