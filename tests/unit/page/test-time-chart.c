// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "check.h"
#include "ctprof/base/macro.h"
#include "page/time-chart.h"

enum { SECONDS = 1000000000 };

/* Four columns of ten seconds, with a gap of 60 behind the second one. */
static struct history_column columns[] = {
        {.begin_ns = 100ULL * SECONDS, .end_ns = 110ULL * SECONDS},
        {.begin_ns = 110ULL * SECONDS, .end_ns = 120ULL * SECONDS},
        {.begin_ns = 180ULL * SECONDS, .end_ns = 190ULL * SECONDS},
        {.begin_ns = 190ULL * SECONDS, .end_ns = 200ULL * SECONDS},
};
static const struct history four = {.columns = columns, .column_count = ARRAY_SIZE(columns)};

static size_t count(const char *text, const char *word)
{
	size_t found = 0;

	for (; (text = strstr(text, word)) != NULL; text += strlen(word))
		found++;
	return found;
}

static void test_places(void **state)
{
	(void)state;
	assert_true(time_chart_place(&four, 100ULL * SECONDS) == 0);
	assert_true(time_chart_place(&four, 150ULL * SECONDS) == TIME_WIDTH / 2.0);
	assert_true(time_chart_place(&four, 200ULL * SECONDS) == TIME_WIDTH);
	assert_true(time_chart_place(&four, 300ULL * SECONDS) == TIME_WIDTH);
	assert_true(time_chart_place(&four, 0) == 0);
}

/* A gap is one area, and no line goes over it or over what is not known. */
static void test_gaps(void **state)
{
	const double known[] = {1, 2, 3, 4}, unknown[] = {1, NAN, NAN, 4};
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	(void)state;
	time_chart_add_gaps(&four, LINE_HEIGHT, &out);
	assert_string_equal(strbuf_str(&out),
	                    "<path class=\"gap\" d=\"M200.00 0H800.00V44H200.00z\"/>");
	strbuf_clear(&out);
	time_chart_add_line(&four, known, 4, 1, &out);
	assert_int_equal(count(strbuf_str(&out), "M"), 2);
	strbuf_clear(&out);
	time_chart_add_line(&four, unknown, 4, 1, &out);
	assert_int_equal(count(strbuf_str(&out), "M"), 2);
	assert_null(strstr(strbuf_str(&out), "nan"));
}

/* Levels are a third of one another; nothing has none. */
static void test_levels(void **state)
{
	(void)state;
	assert_int_equal(time_chart_level(0, 90), 0);
	assert_int_equal(time_chart_level(1e-9, 90), 1);
	assert_int_equal(time_chart_level(90, 90), CELL_LEVELS);
	assert_int_equal(time_chart_level(30.1, 90), CELL_LEVELS);
	assert_int_equal(time_chart_level(29.9, 90), CELL_LEVELS - 1);
	assert_int_equal(time_chart_level(NAN, 90), 0);
	for (unsigned level = 2; level <= CELL_LEVELS; level++) {
		double least = time_chart_least(level, 90);

		assert_int_equal(time_chart_level(least * 1.001, 90), level);
		assert_int_equal(time_chart_level(least * 0.999, 90), level - 1);
	}
}

/* Neighbours of one level are one rectangle, but not over a gap. */
static void test_cells(void **state)
{
	const double values[] = {9, 9, 9, NAN};
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	(void)state;
	time_chart_add_cells(&four, values, 9, &out);
	assert_string_equal(
	        strbuf_str(&out),
	        "<path class=\"h5\" d=\"M0.0 0H200.0V13H0.0zM800.0 0H900.0V13H800.0z\"/>"
	        "<path class=\"hu\" d=\"M900.0 0H1000.0V13H900.0z\"/>");
}

static void test_axis(void **state)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	(void)state;
	columns[3].gaps = 1;
	time_chart_add_axis(&four, &out);
	columns[3].gaps = 0;
	assert_non_null(strstr(strbuf_str(&out), ">00:02:00</text>"));
	assert_int_equal(count(strbuf_str(&out), "gapmark"), 1);
	strbuf_clear(&out);
	time_chart_add_time(1767226210ULL * SECONDS, &out);
	assert_string_equal(strbuf_str(&out), "2026-01-01 00:10:10");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_places), cmocka_unit_test(test_gaps),
	        cmocka_unit_test(test_levels), cmocka_unit_test(test_cells),
	        cmocka_unit_test(test_axis),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
