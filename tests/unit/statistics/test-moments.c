// SPDX-License-Identifier: GPL-2.0-or-later
/* moments - the parts of oracles/robust.json, and one case of oracles/published.json. */
#include "oracle.h"
#include "statistics/moments.h"

static void check_moments(const char *name, const struct moments *got, json_t *want, double near,
                          double rel)
{
	double variance = -1;

	assert_int_equal(got->n, oracle_count(want, "n"));
	assert_int_equal(got->n > 0, !oracle_is_null(want, "mean"));
	if (got->n > 0)
		check_near(name, "mean", got->mean, oracle_real(want, "mean"), 0, near);
	check_near(name, "m2", got->m2, oracle_real(want, "m2"), rel, 0);
	assert_int_equal(moments_variance(got, &variance), !oracle_is_null(want, "var"));
	if (got->n > 1)
		check_near(name, "var", variance, oracle_real(want, "var"), rel, 0);
	else
		assert_true(variance == -1);
}

/* Values in parts, each of them and all of them in one. */
static void check_parts(json_t *item, json_t *root)
{
	json_t *limits = oracle_get(item, "tolerance"), *expect = oracle_get(item, "expect");
	double near = oracle_real(limits, "abs_of_mean");
	double rel = oracle_real(limits, "rel_of_var_and_m2");
	cleanup_(mem_freep) double *all = NULL;
	json_t *part, *joined = json_array();
	struct moments whole;
	size_t i, n;

	(void)root;
	json_array_foreach(oracle_get(item, "parts"), i, part)
	{
		cleanup_(mem_freep) double *values = oracle_reals(part, &n);
		struct moments got = moments_of(values, n);

		check_moments(oracle_name(item), &got,
		              json_array_get(oracle_get(expect, "parts"), i), near, rel);
		assert_int_equal(json_array_extend(joined, part), 0);
	}
	all = oracle_reals(joined, &n);
	json_decref(joined);
	whole = moments_of(all, n);
	check_moments(oracle_name(item), &whole, oracle_get(expect, "whole"), near, rel);
}

static void check_published(json_t *item, json_t *want)
{
	cleanup_(mem_freep) double *values = NULL;
	size_t n;

	values = oracle_reals(oracle_get(item, "x"), &n);
	check_near("copper", "mean", moments_of(values, n).mean, oracle_real(want, "mean"), 1e-10,
	           0);
}

static void test_oracles(void **state)
{
	(void)state;
	oracle_each("robust", "merges", 10, check_parts);
	oracle_published("mad", 1, check_published);
}

static void test_sum(void **state)
{
	static const double cancelling[] = {1e16, 1, -1e16, 1, 1e100, 1, -1e100};
	static const double tenths[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};

	(void)state;
	assert_true(values_sum(cancelling, 4) == 2);
	assert_true(values_sum(tenths, 10) == 1);
	assert_true(values_sum(tenths, 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_oracles),
	        cmocka_unit_test(test_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
