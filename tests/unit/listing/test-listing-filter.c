// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <jansson.h>
#include <string.h>

#include "listing/listing.h"
#include "listing/metric-list.h"

/* Returns whether the metric is left over of all of them, and how many are. */
static bool has(const char *metric, const char *const *patterns, size_t *ret_count)
{
	struct listing_rows rows = listing_rows(LISTING_METRICS);
	bool found = false;

	listing_rows_filter(&rows, patterns);
	for (size_t i = 0; i < rows.count; i++)
		found = found ||
		        strcmp(json_string_value(json_object_get(rows.rows[i].json, "name")),
		               metric) == 0;
	*ret_count = rows.count;
	listing_rows_done(&rows);
	return found;
}

static void check(const char *pattern, const char *metric, bool expected)
{
	const char *const patterns[] = {pattern, NULL};
	size_t count;

	assert_int_equal(has(metric, patterns, &count), expected);
	assert_in_range(count, expected, METRIC_COUNT - 1);
}

static void test_places(void **state)
{
	(void)state;
	/* A part of the name, in any case. */
	check("n_time", "run_time_ns", true);
	check("RUN_TIME", "run_time_ns", true);
	check("run_time_ns ", "run_time_ns", false);
	/* "time on a CPU": words from their begin on. */
	check("cpu", "run_time_ns", true);
	check("pu", "run_time_ns", false);
	/* "scheduling policy" */
	check("schedu", "policy", true);
	check("cheduling", "policy", false);
	/* A section, whole. */
	check("taskstats-delay", "cpu_delay_count", true);
	check("taskstats-delay", "run_time_ns", false);
	check("taskstats-dela", "cpu_delay_count", false);
	/* Globs are like the whole. */
	check("run*", "run_time_ns", true);
	check("un*", "run_time_ns", false);
	check("taskstats-*", "cpu_delay_count", true);
	check("polic[xy]", "policy", true);
}

static void test_several(void **state)
{
	static const char *const patterns[] = {"run_time_ns", "nothing at all", "wait_time_ns",
	                                       NULL};
	static const char *const none[] = {NULL};
	size_t count;

	(void)state;
	assert_true(has("run_time_ns", patterns, &count));
	assert_true(has("wait_time_ns", patterns, &count));
	assert_false(has("policy", patterns, &count));
	assert_true(has("policy", none, &count));
	assert_int_equal(count, METRIC_COUNT);
}

static void test_nothing(void **state)
{
	static const char *const patterns[] = {"nothing at all", NULL};
	const struct table_style style = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_false(metric_list_print(file, &style, patterns));
	assert_false(metric_list_print_json(file, patterns));
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_places),
	        cmocka_unit_test(test_several),
	        cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
