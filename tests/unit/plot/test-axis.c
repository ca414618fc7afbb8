// SPDX-License-Identifier: GPL-2.0-or-later
#include "plot/axis.h"

#include <math.h>

#include "check.h"

static void assert_axis(enum series_unit unit, double most, unsigned steps, double top, double step)
{
	struct axis axis = axis_of_values(unit, most, steps);

	assert_true(fabs(axis.top - top) <= top * 1e-9);
	assert_true(fabs(axis.step - step) <= step * 1e-9);
}

static void test_tops(void **state)
{
	(void)state;
	assert_axis(SERIES_UNIT_percent, 100, 2, 100, 50);
	assert_axis(SERIES_UNIT_percent, 113.8, 4, 150, 50);
	assert_axis(SERIES_UNIT_percent, 0.3, 2, 0.4, 0.2);
	/* One label leaves less of the field empty than two. */
	assert_axis(SERIES_UNIT_bytes, 229e6, 2, 250e6, 250e6);
	assert_axis(SERIES_UNIT_count, 3, 5, 3, 1);
	assert_axis(SERIES_UNIT_count, 1, 2, 1, 1);
	assert_axis(SERIES_UNIT_bytes, 0, 2, 1, 1);
	assert_axis(SERIES_UNIT_percent, 0, 1, 1, 1);
}

/* Whatever the values, they are inside, and no more than so many steps are. */
static void test_any(void **state)
{
	(void)state;
	for (double most = 1e-6; most < 1e19; most *= 1.37)
		for (unsigned steps = 1; steps < 9; steps++) {
			struct axis axis = axis_of_values(SERIES_UNIT_percent, most, steps);

			assert_true(axis.top >= most * (1 - 1e-8));
			assert_true(axis.top / axis.step < steps + 0.5);
			assert_true(axis.top <= most * 2.51);
		}
}

static void assert_label(enum series_unit unit, double most, unsigned steps, double value,
                         const char *expected)
{
	struct axis axis = axis_of_values(unit, most, steps);
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	axis_add_label(unit, &axis, value, &text);
	assert_text(&text, expected);
}

static void test_labels(void **state)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	assert_label(SERIES_UNIT_bytes, 8.6e6, 2, 5e6, "5 MB");
	assert_label(SERIES_UNIT_bytes, 2.5e9, 2, 2.5e9, "2.5 GB");
	assert_label(SERIES_UNIT_percent, 100, 4, 25, "25 %");
	assert_label(SERIES_UNIT_percent, 0.4, 2, 0.2, "0.2 %");
	assert_label(SERIES_UNIT_count, 20, 2, 10, "10");
	axis_add_value(SERIES_UNIT_bytes, 229076992, &text);
	axis_add_value(SERIES_UNIT_bytes, 999, &text);
	axis_add_value(SERIES_UNIT_percent, 76.25, &text);
	axis_add_value(SERIES_UNIT_count, 12, &text);
	assert_text(&text, "229.1 MB999 B76.2 %12");
}

static void test_times(void **state)
{
	static const uint64_t seconds[] = {0, 30, 60, 90, 3600, 5400, 86400, 129600, 86461};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		axis_add_time(seconds[i], &text);
		strbuf_add_char(&text, ' ');
	}
	assert_text(&text, "0 30s 1m 1m30s 1h 1h30m 1d 1d12h 1d1m1s ");
	assert_int_equal(axis_time_step(6.1, 6), 2);
	assert_int_equal(axis_time_step(0.5, 6), 1);
	assert_int_equal(axis_time_step(600, 6), 120);
	assert_int_equal(axis_time_step(86400, 6), 6 * 3600);
	assert_int_equal(axis_time_step(86400.0 * 365, 5), 100 * 86400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_tops),
	        cmocka_unit_test(test_any),
	        cmocka_unit_test(test_labels),
	        cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
