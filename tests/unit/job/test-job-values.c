// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-values.h"

#include "check.h"

static void assert_number(enum job_unit unit, double number, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	job_number_format(unit, number, &text);
	assert_text(&text, expected);
}

static void test_numbers_for_people(void **state)
{
	(void)state;
	assert_number(JOB_UNIT_s, 0, "0.000 s");
	assert_number(JOB_UNIT_s, 12.34567, "12.346 s");
	assert_number(JOB_UNIT_count, 0, "0");
	assert_number(JOB_UNIT_count, 999, "999");
	assert_number(JOB_UNIT_count, 1000, "1,000");
	assert_number(JOB_UNIT_count, 1234567, "1,234,567");
	assert_number(JOB_UNIT_count, -1234, "-1,234");
	assert_number(JOB_UNIT_count, 2.5, "2.5");
	assert_number(JOB_UNIT_bytes, 1023, "1023 B");
	assert_number(JOB_UNIT_bytes, 1024, "1.0 KiB");
	assert_number(JOB_UNIT_bytes, 1024 * 1024 - 1, "1.0 MiB");
	assert_number(JOB_UNIT_bytes, 1.5 * 1024 * 1024 * 1024, "1.5 GiB");
	assert_number(JOB_UNIT_percent, 99.96, "100.0 %");
}

static void test_unknown_is_no_zero(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct job_values values = {0};

	(void)state;
	job_value_format(&values, JOB_cpu_time, &text);
	assert_text(&text, "-");
	/* Nothing is added to what is not known. */
	job_add(&values, JOB_cpu_time, 1);
	assert_false(values.seen[JOB_cpu_time]);
	job_set(&values, JOB_cpu_time, JOB_SOURCE_wait, 1);
	job_add(&values, JOB_cpu_time, .5);
	strbuf_clear(&text);
	job_value_format(&values, JOB_cpu_time, &text);
	assert_text(&text, "1.500 s");
	values.impossible[JOB_cpu_time] = 1;
	strbuf_clear(&text);
	job_value_format(&values, JOB_cpu_time, &text);
	assert_text(&text, "1.500 s*");
	job_forget(&values, JOB_cpu_time);
	assert_false(values.seen[JOB_cpu_time]);
}

static void test_derived(void **state)
{
	struct job_values values = {0};

	(void)state;
	job_values_derive(&values, 1000);
	assert_false(values.seen[JOB_average_pcpu]);
	assert_false(values.seen[JOB_peak_pmem]);
	job_set(&values, JOB_wall_clock_time, JOB_SOURCE_clock, 2);
	job_set(&values, JOB_cpu_time, JOB_SOURCE_cgroup, 3);
	job_set(&values, JOB_peak_rss, JOB_SOURCE_samples, 250);
	job_values_derive(&values, 1000);
	assert_float_equal(values.numbers[JOB_average_pcpu], 150, 1e-9);
	assert_int_equal(values.sources[JOB_average_pcpu], JOB_SOURCE_cgroup);
	assert_float_equal(values.numbers[JOB_peak_pmem], 25, 1e-9);
	assert_false(values.seen[JOB_average_pmem]);
	/* No time has passed, or the memory is not known: no share. */
	job_forget(&values, JOB_average_pcpu);
	job_forget(&values, JOB_peak_pmem);
	job_set(&values, JOB_wall_clock_time, JOB_SOURCE_clock, 0);
	job_values_derive(&values, 0);
	assert_false(values.seen[JOB_average_pcpu]);
	assert_false(values.seen[JOB_peak_pmem]);
}

static void test_names(void **state)
{
	(void)state;
	for (unsigned id = 0; id < JOB_VALUE_COUNT; id++) {
		const char *name = job_value_table[id].name;

		assert_int_equal(job_value_find(name, strlen(name)), id);
		assert_true(strlen(job_value_table[id].description) > 0);
		assert_non_null(job_unit_names[job_value_table[id].unit]);
	}
	assert_int_equal(job_value_find("cpu_tim", 7), JOB_VALUE_COUNT);
	assert_int_equal(job_value_find("cpu_times", 9), JOB_VALUE_COUNT);
	assert_int_equal(job_value_find("", 0), JOB_VALUE_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_numbers_for_people),
	        cmocka_unit_test(test_unknown_is_no_zero),
	        cmocka_unit_test(test_derived),
	        cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
