// SPDX-License-Identifier: GPL-2.0-or-later
/* Properties of all rows of registry/aspects.def. */
#include <string.h>

#include "check.h"
#include "measure/measure.h"
#include "overview/aspect.h"

/* All columns but those that never leave have a place of their own in the order in which they do. */
static void test_leaves(void **state)
{
	bool taken[ASPECT_COUNT + 1] = {false};

	(void)state;
	for (unsigned i = 0; i < ASPECT_COUNT; i++) {
		unsigned leaves = aspect_table[i].leaves;

		assert_true(leaves <= ASPECT_COUNT);
		assert_false(leaves > 0 && taken[leaves]);
		taken[leaves] = true;
	}
	assert_int_equal(aspect_table[ASPECT_cpu].leaves, 0);
	assert_int_equal(aspect_table[ASPECT_threads].leaves, 0);
}

/* Headings tell columns apart, and the widest of them all fit 80 columns beside a name. */
static void test_headings(void **state)
{
	size_t width = 0;

	(void)state;
	for (unsigned i = 0; i < ASPECT_COUNT; i++) {
		width += 1 + strlen(aspect_table[i].heading);
		for (unsigned k = 0; k < i; k++) {
			assert_string_not_equal(aspect_table[i].heading, aspect_table[k].heading);
			assert_string_not_equal(aspect_table[i].life_heading,
			                        aspect_table[k].life_heading);
		}
	}
	assert_true(width <= 64);
}

/* The sources are of the unit that the kind is shown in, and add up; CPU time, waiting, blocked time and storage come before
 * counts. */
static void test_sources(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ASPECT_COUNT; i++) {
		const struct aspect_desc *aspect = &aspect_table[i];
		bool counts =
		        aspect->kind == ASPECT_KIND_COUNT || aspect->kind == ASPECT_KIND_THREADS;

		assert_in_range(aspect->source_count, 1, ASPECT_SOURCES_MAX);
		assert_true(!counts || aspect->weight < 1);
		for (unsigned s = 0; s < aspect->source_count; s++)
			for (unsigned k = 0; k < aspect->sources[s].count; k++) {
				enum metric_id metric = aspect->sources[s].metrics[k];
				enum metric_unit unit = measure_unit(metric);

				assert_true(metric_table[metric].rule == RULE_SUM ||
				            aspect->kind == ASPECT_KIND_PEAK);
				assert_true(counts ? unit == UNIT_count
				            : aspect->kind == ASPECT_KIND_TIME
				                    ? unit == UNIT_ns || unit == UNIT_ticks
				                    : unit == UNIT_bytes);
			}
	}
}

static void count_metric(enum metric_id metric, void *context)
{
	unsigned *counts = context;

	counts[metric]++;
}

/* A name of an aspect is none of a metric, and stands for the metrics of all its sources; a word for those of its aspects. */
static void test_words(void **state)
{
	unsigned measure;

	(void)state;
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		const char *name = aspect_table[a].name;
		unsigned counts[METRIC_COUNT] = {0}, sum = 0;

		assert_false(measure_find(name, strlen(name), &measure));
		assert_int_equal(aspect_find(name, strlen(name)), a);
		assert_int_equal(aspect_find(name, strlen(name) - 1), ASPECT_COUNT);
		assert_true(aspect_visit_metrics(name, strlen(name), count_metric, counts));
		for (unsigned s = 0; s < aspect_table[a].source_count; s++)
			for (unsigned i = 0; i < aspect_table[a].sources[s].count; i++)
				sum += counts[aspect_table[a].sources[s].metrics[i]];
		for (unsigned m = 0; m < METRIC_COUNT; m++)
			sum -= counts[m];
		assert_int_equal(sum, 0);
	}
	for (size_t w = 0; w < aspect_word_count; w++) {
		const char *name = aspect_word_table[w].name;
		unsigned counts[METRIC_COUNT] = {0};

		assert_false(measure_find(name, strlen(name), &measure));
		assert_int_equal(aspect_find(name, strlen(name)), ASPECT_COUNT);
		assert_true(aspect_visit_metrics(name, strlen(name), count_metric, counts));
		for (unsigned a = 0; a < ASPECT_COUNT; a++)
			assert_int_equal(counts[aspect_table[a].sources[0].metrics[0]] > 0,
			                 aspect_word_table[w].aspects[a]);
	}
	assert_false(aspect_visit_metrics("cp", 2, count_metric, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_leaves),
	        cmocka_unit_test(test_headings),
	        cmocka_unit_test(test_sources),
	        cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
