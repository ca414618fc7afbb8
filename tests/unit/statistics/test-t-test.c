// SPDX-License-Identifier: GPL-2.0-or-later
/* t-test - oracles/t-interval.json, and the t values of oracles/published.json. */
#include "oracle.h"
#include "statistics/t-test.h"

static void check_levels(json_t *item, const struct t_test *test, double rel, double near)
{
	const char *level;
	json_t *want;
	unsigned levels = 0;

	json_object_foreach(oracle_get(oracle_get(item, "expect"), "ci"), level, want)
	{
		struct interval got;

		assert_true(t_interval(test, strtod(level, NULL), &got));
		check_interval(oracle_name(item), got.low, got.high, want, rel, near);
		levels++;
	}
	assert_true(levels > 0);
}

static void check_case(json_t *item, json_t *root)
{
	json_t *want = oracle_get(item, "expect"), *limits = json_object_get(item, "tolerance");
	const char *name = oracle_name(item);
	cleanup_(mem_freep) double *d = NULL;
	struct interval interval = {-1, -2};
	double rel = limits ? oracle_real(limits, "rel") : 1e-12;
	double near = limits ? oracle_real(limits, "abs_of_mean_and_ci") : 0;
	struct t_test got;
	size_t n;

	(void)root;
	d = oracle_reals(oracle_get(item, "d"), &n);
	got = t_test(d, n);
	assert_int_equal(got.n, oracle_count(want, "n"));
	if (n > 0) {
		check_near(name, "mean", got.mean, oracle_real(want, "mean"), rel, near);
		assert_int_equal(got.df, oracle_count(want, "df"));
	}
	assert_int_equal(got.has_sd, !oracle_is_null(want, "sd"));
	if (got.has_sd)
		check_near(name, "sd", got.sd, oracle_real(want, "sd"), rel, 0);
	assert_int_equal(got.has_t, !oracle_is_null(want, "t"));
	assert_int_equal(got.has_t, !oracle_is_null(want, "p_two_sided"));
	assert_int_equal(got.has_t, !oracle_is_null(want, "ci"));
	if (!got.has_t) {
		assert_false(t_interval(&got, 0.95, &interval));
		assert_true(interval.low == -1 && interval.high == -2);
		return;
	}
	check_near(name, "se", got.se, oracle_real(want, "se"), rel, 0);
	check_near(name, "t", got.t, oracle_real(want, "t"), rel, 0);
	check_near(name, "p", got.p, oracle_real(want, "p_two_sided"), rel, 0);
	check_levels(item, &got, rel, near);
}

static void test_intervals(void **state)
{
	(void)state;
	oracle_each("t-interval", "cases", 24, check_case);
}

static void check_published(json_t *item, json_t *want)
{
	const char *name = oracle_name(item);
	cleanup_(mem_freep) double *d = NULL;
	struct interval interval;
	struct t_test got;
	size_t n;

	d = oracle_reals(oracle_get(item, "d"), &n);
	got = t_test(d, n);
	check_near(name, "mean", got.mean, oracle_real(want, "mean"), 1e-10, 0);
	check_near(name, "sd", got.sd, oracle_real(want, "sd"), 1e-10, 0);
	check_near(name, "t", got.t, oracle_real(want, "t"), 1e-10, 0);
	check_near(name, "p", got.p, oracle_real(want, "p_two_sided"), 1e-10, 0);
	assert_int_equal(got.df, oracle_count(want, "df"));
	assert_true(t_interval(&got, 0.95, &interval));
	check_interval(name, interval.low, interval.high, oracle_get(want, "ci95"), 1e-10, 0);
}

static void test_published(void **state)
{
	(void)state;
	oracle_published("t", 2, check_published);
}

/* Contrasts whose squares are no normal numbers have no t, instead of a wrong one. */
static void test_underflow(void **state)
{
	static const double vanishing[] = {1e-160, 3e-160, 2e-160, -1e-160};
	struct t_test got = t_test(vanishing, ARRAY_SIZE(vanishing));

	(void)state;
	assert_true(got.has_sd);
	assert_false(got.has_t);
	check_near("underflow", "mean", got.mean, 1.25e-160, 1e-12, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_intervals),
	        cmocka_unit_test(test_published),
	        cmocka_unit_test(test_underflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
