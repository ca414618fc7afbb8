// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-samples.h"

#include "base/clock.h"
#include "check.h"

#define START (5 * NS_PER_SECOND)

static uint64_t at_ms(uint64_t ms)
{
	return START + ms * NS_PER_MS;
}

static void add(struct job_samples *samples, uint64_t ms, double rss)
{
	const struct job_memory memory = {
	        .rss = rss, .vsz = 10 * rss, .largest_rss = rss / 2, .processes = 1};

	job_samples_add(samples, at_ms(ms), &memory);
}

static void test_moments(void **state)
{
	struct job_samples samples;

	(void)state;
	job_samples_init(&samples, START, NS_PER_SECOND);
	assert_int_equal(job_samples_next(&samples), at_ms(10));
	add(&samples, 10, 1);
	assert_int_equal(job_samples_next(&samples), at_ms(20));
	add(&samples, 800, 1);
	assert_int_equal(job_samples_next(&samples), at_ms(900));
	add(&samples, 100000, 1);
	assert_int_equal(job_samples_next(&samples), at_ms(101000));
	job_samples_init(&samples, START, 2 * NS_PER_MS);
	assert_int_equal(job_samples_next(&samples), at_ms(2));
}

static void test_mean_over_time(void **state)
{
	struct job_samples samples;
	struct job_values values = {0};

	(void)state;
	job_samples_init(&samples, START, NS_PER_SECOND);
	add(&samples, 1000, 100);
	add(&samples, 4000, 200);
	job_samples_values(&samples, &values);
	assert_float_equal(values.numbers[JOB_peak_rss], 200, 1e-9);
	/* 1 s of 100 and 3 s of 200 */
	assert_float_equal(values.numbers[JOB_average_rss], 175, 1e-9);
	assert_float_equal(values.numbers[JOB_peak_vsz], 2000, 1e-9);
	assert_float_equal(values.numbers[JOB_average_vsz], 1750, 1e-9);
	assert_float_equal(values.numbers[JOB_num_samples], 2, 0);
	assert_float_equal(samples.largest_rss, 100, 0);
}

/* A sample that finds nobody says nothing of the memory, and its time is nobody's. */
static void test_without_processes(void **state)
{
	const struct job_memory none = {0};
	struct job_samples samples;
	struct job_values values = {0};

	(void)state;
	job_samples_init(&samples, START, NS_PER_SECOND);
	job_samples_add(&samples, at_ms(1000), &none);
	job_samples_values(&samples, &values);
	assert_false(values.seen[JOB_peak_rss]);
	assert_false(values.seen[JOB_average_rss]);
	assert_false(values.seen[JOB_peak_pss]);
	assert_float_equal(values.numbers[JOB_num_samples], 0, 0);
	add(&samples, 2000, 100);
	job_samples_values(&samples, &values);
	assert_float_equal(values.numbers[JOB_average_rss], 100, 1e-9);
}

static void test_peak_of_cpu(void **state)
{
	struct job_samples samples;
	struct job_values values = {0};

	(void)state;
	job_samples_init(&samples, START, NS_PER_SECOND);
	/* Two readings that are close say nothing: CPU time has steps. */
	job_samples_add_cpu(&samples, at_ms(50), at_ms(50), 1);
	job_samples_values(&samples, &values);
	assert_false(values.seen[JOB_peak_pcpu]);
	job_samples_add_cpu(&samples, at_ms(1000), at_ms(1000), .5);
	job_samples_add_cpu(&samples, at_ms(1500), at_ms(1500), 1.25);
	job_samples_add_cpu(&samples, at_ms(2500), at_ms(2500), 1.5);
	job_samples_values(&samples, &values);
	assert_float_equal(values.numbers[JOB_peak_pcpu], 150, 1e-9);
	/* A reading that took half a second may be of its end. */
	job_samples_add_cpu(&samples, at_ms(3500), at_ms(4000), 3.5);
	job_samples_values(&samples, &values);
	assert_float_equal(values.numbers[JOB_peak_pcpu], 150, 1e-9);
	job_samples_add_cpu(&samples, at_ms(4500), at_ms(4500), 5.5);
	job_samples_values(&samples, &values);
	assert_float_equal(values.numbers[JOB_peak_pcpu], 200, 1e-9);
}

static void test_pss(void **state)
{
	struct job_samples samples;
	struct job_values values = {0};

	(void)state;
	job_samples_init(&samples, START, NS_PER_SECOND);
	job_samples_add_pss(&samples, 10);
	job_samples_add_pss(&samples, 40);
	job_samples_values(&samples, &values);
	assert_float_equal(values.numbers[JOB_peak_pss], 40, 0);
	assert_float_equal(values.numbers[JOB_average_pss], 25, 0);
	assert_float_equal(values.numbers[JOB_num_pss_samples], 2, 0);
	/* A process that no sample met. */
	job_set(&values, JOB_peak_rss, JOB_SOURCE_samples, 30);
	job_set(&values, JOB_largest_rss, JOB_SOURCE_wait, 20);
	job_samples_raise_peak(&values);
	assert_float_equal(values.numbers[JOB_peak_rss], 30, 0);
	job_set(&values, JOB_largest_rss, JOB_SOURCE_wait, 50);
	job_samples_raise_peak(&values);
	assert_float_equal(values.numbers[JOB_peak_rss], 50, 0);
	/* One reading that lacks a process: the highest may have been that one. */
	job_samples_lack_pss(&samples);
	values = (struct job_values){0};
	job_samples_values(&samples, &values);
	assert_false(values.seen[JOB_peak_pss] || values.seen[JOB_average_pss]);
	assert_float_equal(values.numbers[JOB_num_pss_samples], 2, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_moments),
	        cmocka_unit_test(test_mean_over_time),
	        cmocka_unit_test(test_without_processes),
	        cmocka_unit_test(test_peak_of_cpu),
	        cmocka_unit_test(test_pss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
