// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "check.h"
#include "statistics/robust.h"

static void assert_close(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-12 * (1 + fabs(expected))))
		fail_msg("%.17g is not %.17g", found, expected);
}

/* The scales are those of R's mad() and mean(abs(x - median(x))). */
static void finds_centre_and_spread(void **state)
{
	double values[] = {9, 1, 4, 2, 100}, scratch[5];
	struct robust robust = robust_of(values, scratch, 5);

	(void)state;
	assert_close(robust.median, 4);
	assert_close(robust.scale, 4.447806655516806);
	assert_close(robust_z(&robust, 4), 0);
	assert_close(robust_z(&robust, 100), 21.583672006274614);
	assert_close(robust_z(&robust, 1), -0.6744897501960817);
}

/* More than half of the values are the same. */
static void falls_back_to_the_mean_deviation(void **state)
{
	double values[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 15}, scratch[10];
	struct robust robust = robust_of(values, scratch, 10);

	(void)state;
	assert_close(robust.median, 5);
	assert_close(robust.scale, 1.2533141373155001);
	assert_close(robust_z(&robust, 15), 7.978845608028655);
}

/* R: qnorm(pt(z, df, lower.tail = FALSE, log.p = TRUE), lower.tail = FALSE, log.p = TRUE), df = .3675 * (n - 1); within one percent. */
static void few_values_make_less_certain(void **state)
{
	static const struct {
		double z, certain;
		size_t count;
	} cases[] = {{10, 4.53714441104867, 24},
	             {30, 6.16706438264002, 24},
	             {6, 5.85628785516983, 1000},
	             {8, 6.03847294088574, 100},
	             {-20, 16.4379964366493, 1000}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double found = robust_certain_z(cases[i].z, cases[i].count);

		if (!(fabs(found / cases[i].certain - 1) < 0.01))
			fail_msg("%g of %zu is %g", cases[i].z, cases[i].count, found);
	}
	assert_close(robust_certain_z(100, 1), 0);
	assert_close(robust_certain_z(0, 10), 0);
}

/* Five hosts have 7 s a second, by windows of unlike length: their quotients differ in the last bit. */
static void rounding_is_no_spread(void **state)
{
	double values[] = {7e9, 6999999999.999999, 7000000000.000001, 7e9, 7e9, 1e9}, scratch[6];
	double same[] = {7e9, 6999999999.999999, 7000000000.000001};
	struct robust robust = robust_of(values, scratch, 6);

	(void)state;
	assert_close(robust_z(&robust, 1e9), -4.787307364817193);
	robust = robust_of(same, scratch, 3);
	assert_true(robust.scale == 0);
}

/* Nothing differs, and nothing is divided by 0. */
static void same_values_have_no_scale(void **state)
{
	double values[] = {3, 3, 3}, scratch[3], one[] = {7};
	struct robust robust = robust_of(values, scratch, 3);

	(void)state;
	assert_close(robust.median, 3);
	assert_close(robust.scale, 0);
	assert_close(robust_z(&robust, 4), 0);
	robust = robust_of(one, scratch, 1);
	assert_close(robust.median, 7);
	assert_close(robust.scale, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(finds_centre_and_spread),
	        cmocka_unit_test(rounding_is_no_spread),
	        cmocka_unit_test(falls_back_to_the_mean_deviation),
	        cmocka_unit_test(few_values_make_less_certain),
	        cmocka_unit_test(same_values_have_no_scale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
