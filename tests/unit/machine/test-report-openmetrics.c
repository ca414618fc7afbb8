// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "base/strmap.h"
#include "check.h"
#include "machine/report-openmetrics.h"

static void check_name(unsigned measure, enum measure_per per, const char *expected)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	openmetrics_add_name(measure, per, &name);
	assert_string_equal(strbuf_str(&name), expected);
}

static void test_names(void **state)
{
	(void)state;
	check_name(METRIC_run_time_ns, PER_total, "ctprof_run_time_seconds");
	check_name(METRIC_run_time_ns, PER_second, "ctprof_run_time_seconds_per_second");
	check_name(METRIC_run_time_ns, PER_cpu_second, "ctprof_run_time_seconds_per_cpu_second");
	check_name(METRIC_utime_clock_ticks, PER_total, "ctprof_utime_seconds");
	check_name(METRIC_wait_sum, PER_total, "ctprof_wait_sum_seconds");
	check_name(METRIC_thread_count, PER_total, "ctprof_threads");
	check_name(METRIC_minflt, PER_total, "ctprof_minflt");
	check_name(METRIC_minflt, PER_second, "ctprof_minflt_per_second");
	check_name(METRIC_hiwater_rss_bytes, PER_second, "ctprof_hiwater_rss_bytes");
	check_name(METRIC_COUNT + (unsigned)DERIVED_cpu_percent, PER_second, "ctprof_cpu_ratio");
	check_name(METRIC_COUNT + (unsigned)DERIVED_cpu_efficiency, PER_total,
	           "ctprof_cpu_efficiency_ratio");
	check_name(METRIC_COUNT + (unsigned)DERIVED_affine_success_ratio, PER_total,
	           "ctprof_affine_success_ratio");
}

/* The rules of promtool for the names of gauges. */
static void check_form(const char *name)
{
	static const char *const reserved[] = {"_total", "_count", "_sum", "_bucket",
	                                       "_info",  "_ns",    "_us",  "_ticks"};

	for (const char *at = name; *at; at++)
		assert_true(islower((unsigned char)*at) || isdigit((unsigned char)*at) ||
		            *at == '_');
	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (strlen(name) > strlen(reserved[i]) &&
		    strcmp(name + strlen(name) - strlen(reserved[i]), reserved[i]) == 0)
			fail_msg("%s ends in %s", name, reserved[i]);
}

static void test_names_differ(void **state)
{
	(void)state;
	for (unsigned per = 0; per < PER_COUNT; per++) {
		cleanup_(strmap_done) struct strmap names = STRMAP_INIT;
		size_t count = 0;

		for (unsigned i = 0; i < MEASURE_COUNT; i++) {
			cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

			if (!openmetrics_has(i))
				continue;
			openmetrics_add_name(i, (enum measure_per)per, &name);
			check_form(strbuf_str(&name));
			strmap_add(&names, strbuf_str(&name), name.len);
			assert_int_equal(names.count, ++count);
		}
	}
}

static void test_numbers_only(void **state)
{
	(void)state;
	assert_true(openmetrics_has(METRIC_wait_max));
	assert_false(openmetrics_has(METRIC_state));
	assert_false(openmetrics_has(METRIC_nice));
	assert_false(openmetrics_has(METRIC_cpu_affinity));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_names),
	        cmocka_unit_test(test_names_differ),
	        cmocka_unit_test(test_numbers_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
