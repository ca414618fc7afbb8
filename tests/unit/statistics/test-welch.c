// SPDX-License-Identifier: GPL-2.0-or-later
/* welch - the numbers of R 4.2.2: r <- t.test(b, a); c(mean(b) - mean(a), r$stderr, r$parameter, r$statistic, r$p.value, r$conf.int) */
#include <math.h>

#include "check.h"
#include "statistics/welch.h"

static bool is_near(double got, double want)
{
	return fabs(got - want) <= 1e-12 * fabs(want);
}

static void check_test(const struct welch_test *got, const double want[7])
{
	struct interval ci;

	assert_true(got->has_t);
	assert_true(is_near(got->difference, want[0]));
	assert_true(is_near(got->se, want[1]));
	assert_true(is_near(got->df, want[2]));
	assert_true(is_near(got->t, want[3]));
	assert_true(is_near(got->p, want[4]));
	assert_true(welch_interval(got, .95, &ci));
	assert_true(is_near(ci.low, want[5]) && is_near(ci.high, want[6]));
}

static void as_r(void **state)
{
	static const double a[] = {10.1, 9.8, 10.4, 10.0}, b[] = {11.2, 11.9, 10.7, 12.1, 11.5};
	static const double want[] = {1.4050000000000011369, 0.2793295544692685484,
	                              5.7715054915559269588, 5.0299009808307886260,
	                              0.0026631950224731932, 0.7148919786056058268,
	                              2.0951080213943966690};
	struct welch_test test = welch_test(a, 4, b, 5);

	(void)state;
	check_test(&test, want);
	test = welch_test(b, 5, a, 4);
	assert_true(is_near(test.t, -want[3]) && is_near(test.p, want[4]));
}

/* A group whose values are all the same has a variance of 0. */
static void one_constant(void **state)
{
	static const double a[] = {1, 2, 4}, b[] = {3, 3, 3};
	static const double want[] = {2.0 / 3,
	                              0.88191710368819687,
	                              2,
	                              0.75592894601845428,
	                              0.52859547920896843,
	                              -3.12791636693009290,
	                              4.46124970026342638};
	struct welch_test test = welch_test(a, 3, b, 3);

	(void)state;
	check_test(&test, want);
}

static void no_t(void **state)
{
	static const double a[] = {.1, .1, .1}, b[] = {.3, .3, .3};
	static const double tiny_a[] = {1e-160, 3e-160}, tiny_b[] = {2e-160, 9e-160};
	struct welch_test test = welch_test(a, 3, b, 3);
	struct interval ci = {1, 2};

	(void)state;
	assert_false(test.has_t);
	assert_true(is_near(test.difference, .2));
	assert_false(welch_interval(&test, .95, &ci));
	assert_true(ci.low == 1 && ci.high == 2);
	assert_false(welch_test(a, 1, tiny_b, 2).has_t);
	assert_false(welch_test(tiny_a, 2, b, 0).has_t);
	/* Their squares have lost digits. */
	assert_false(welch_test(tiny_a, 2, tiny_b, 2).has_t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_r), cmocka_unit_test(one_constant),
	                                   cmocka_unit_test(no_t)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
