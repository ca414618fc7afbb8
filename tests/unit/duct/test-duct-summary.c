// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-summary.h"

#include "check.h"

static const struct duct_run_facts facts = {
        .command = "make all",
        .prefix = "o/",
        .working_directory = "/home/x",
        .recorded = {.samples = 4, .reports = 2, .has_peak = true, .peak_pcpu = 150},
};

static void make(struct duct_summary *summary, struct job_result *result)
{
	struct job_values *values = &result->values;

	*result = (struct job_result){.container = JOB_CONTAINER_CGROUP};
	job_set(values, JOB_exit_code, JOB_SOURCE_status, 3);
	job_set(values, JOB_wall_clock_time, JOB_SOURCE_clock, 2);
	job_set(values, JOB_cpu_time, JOB_SOURCE_cgroup, 2.5);
	job_set(values, JOB_peak_rss, JOB_SOURCE_samples, 8500000);
	job_set(values, JOB_largest_rss, JOB_SOURCE_wait, 8500000);
	job_values_derive(values, 0);
	duct_summary_make(summary, &facts, result);
}

static void assert_format(const char *template, bool colors, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, reason = STRBUF_INIT;
	struct duct_summary summary;
	struct job_result result;

	make(&summary, &result);
	assert_int_equal(duct_summary_check(template, &reason), 0);
	duct_summary_format(&summary, template, colors, &text);
	assert_text(&text, expected);
}

static void test_format(void **state)
{
	(void)state;
	/* The sum is no less than the largest process, and no rate less than the mean. */
	assert_format("{peak_rss} {peak_rss!S} {peak_pcpu:.1f} {average_pcpu!P}", false,
	              "8500000 8.5 MB 150.0 125.00%");
	assert_format("{exit_code} {command} {logs_prefix} {num_samples} {num_reports}", false,
	              "3 make all o/ 4 2");
	assert_format("{average_rss!S} {average_pmem:.2f!N}% {ctprof_cpu_time}", false, "- -% 2.5");
	assert_format("{ctprof_container} {working_directory}", false, "cgroup /home/x");
}

static void test_colors(void **state)
{
	(void)state;
	assert_format("{exit_code!E}{num_samples!X}", true, "\033[1;31m3\033[0m\033[1;32m4\033[0m");
	assert_format("{average_rss!S}", true, "\033[1;31m-\033[0m");
	assert_format("{average_rss:.2f!N}{command}", true, "-make all");
	assert_format("{wall_clock_time!T}", true, "2.00s");
}

static void test_default(void **state)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	(void)state;
	assert_int_equal(duct_summary_check(duct_summary_default, &reason), 0);
	assert_true(duct_summary_check("{nobody}", &reason) < 0);
	assert_contains(strbuf_str(&reason), "nobody");
}

static void test_object(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct duct_json json = {.out = &text};
	struct duct_summary summary;
	struct job_result result;

	(void)state;
	make(&summary, &result);
	duct_summary_add(&summary, &json);
	assert_contains(text.data, "{\"exit_code\": 3, \"command\": \"make all\", \"logs_prefix\": "
	                           "\"o/\", \"wall_clock_time\": 2.0, \"peak_rss\": 8500000, "
	                           "\"average_rss\": null, ");
	assert_contains(text.data,
	                "\"working_directory\": \"/home/x\", \"ctprof_cpu_time\": 2.5, ");
	/* Names of con-duct's are there once. */
	assert_null(strstr(text.data, "ctprof_peak_rss"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_format),
	        cmocka_unit_test(test_colors),
	        cmocka_unit_test(test_default),
	        cmocka_unit_test(test_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
