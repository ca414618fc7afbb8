// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "check.h"
#include "ctprof/base/macro.h"
#include "page/dumbbell.h"

/* A row of logarithms, with its estimate and the ends of its interval. */
static struct effect row_of(double mean, double low, double high)
{
	return (struct effect){.scale = {.is_log = true},
	                       .base = 1,
	                       .test = {.mean = mean},
	                       .has_interval = true,
	                       .ci95 = {low, high}};
}

static void assert_near(double a, double b)
{
	assert_true(fabs(a - b) < 1e-9);
}

/* 0 is the middle, doubling and halving lie at equal distances from it, and a larger change further away. */
static void test_places(void **state)
{
	const struct effect row = row_of(log(2), log(0.5), log(4));
	const struct effect *rows[] = {&row};
	struct dumbbell_axis axis = dumbbell_axis_of(rows, 1, 0.02);
	double before = -1;

	(void)state;
	assert_false(axis.is_cut);
	assert_near(axis.most, log(4));
	assert_near(dumbbell_place(&axis, 0), 50);
	assert_near(dumbbell_place(&axis, 100) - 50, 50 - dumbbell_place(&axis, -50));
	for (double percent = -74; percent < 300; percent += 0.5) {
		double place = dumbbell_place(&axis, percent);

		assert_true(place > before && place > 0 && place < 100);
		before = place;
	}
}

/* Changes beyond a factor of ten are at the end, and this is noted; a fall by all has a place. */
static void test_far_changes_are_cut(void **state)
{
	const struct effect row = row_of(log(50), log(0.0001), INFINITY);
	const struct effect *rows[] = {&row};
	struct dumbbell_axis axis = dumbbell_axis_of(rows, 1, 0.02);

	(void)state;
	assert_true(axis.is_cut);
	assert_near(axis.most, log(10));
	assert_near(dumbbell_place(&axis, 4900), dumbbell_place(&axis, 900));
	assert_near(dumbbell_place(&axis, -100), dumbbell_place(&axis, -90));
}

/* Small changes do not widen the axis to all of the width: the margin stays a part of it. */
static void test_axis_has_room_beyond_the_margin(void **state)
{
	const struct effect row = row_of(0.0001, 0, 0.0002);
	const struct effect *rows[] = {&row};
	struct dumbbell_axis axis = dumbbell_axis_of(rows, 1, 0.02);

	(void)state;
	assert_near(axis.most, 3 * log1p(0.02));
	assert_true(dumbbell_place(&axis, 2) < 90);
	axis = dumbbell_axis_of(NULL, 0, 0);
	assert_true(axis.most > 0);
}

/* Labels do not touch each other, and none is beyond the end. */
static void test_labels(void **state)
{
	const struct effect row = row_of(log(1.1), log(1.05), log(1.15));
	const struct effect *rows[] = {&row};
	struct dumbbell_axis axis = dumbbell_axis_of(rows, 1, 0.02);
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT;

	(void)state;
	dumbbell_add_labels(&axis, &out);
	assert_non_null(strstr(strbuf_str(&out), ">0</text>"));
	assert_non_null(strstr(strbuf_str(&out), ">+10</text>"));
	assert_null(strstr(strbuf_str(&out), ">+20</text>"));
	assert_null(strstr(strbuf_str(&out), ">+900</text>"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_places),
	        cmocka_unit_test(test_far_changes_are_cut),
	        cmocka_unit_test(test_axis_has_room_beyond_the_margin),
	        cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
