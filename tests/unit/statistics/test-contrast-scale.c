// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "check.h"
#include "statistics/contrast-scale.h"

/* A difference of logarithms is a ratio. */
static void logarithms(void **state)
{
	const double values[] = {2, 8};
	struct contrast_scale scale;
	double y[2];

	(void)state;
	assert_true(contrast_scale_values(values, 2, y, &scale));
	assert_true(scale.is_log);
	assert_true(fabs(exp(y[1] - y[0]) - 4) < 1e-12);
}

/* One value of 0 makes all of them shares of the mean of the sizes. */
static void shares(void **state)
{
	const double values[] = {0, 3, -3, 6};
	struct contrast_scale scale;
	double y[4];

	(void)state;
	assert_true(contrast_scale_values(values, 4, y, &scale));
	assert_true(!scale.is_log && scale.one == 3);
	assert_true(y[0] == 0 && y[1] == 1 && y[2] == -1 && y[3] == 2);
}

static void none(void **state)
{
	const double zeros[] = {0, 0}, unseen[] = {1, NAN}, huge[] = {INFINITY, 1};
	struct contrast_scale scale;
	double y[2];

	(void)state;
	assert_false(contrast_scale_values(zeros, 2, y, &scale));
	assert_false(contrast_scale_values(unseen, 2, y, &scale));
	assert_false(contrast_scale_values(huge, 2, y, &scale));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(logarithms), cmocka_unit_test(shares),
	                                   cmocka_unit_test(none)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
