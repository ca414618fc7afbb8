// SPDX-License-Identifier: GPL-2.0-or-later
/* moments - the merges of oracles/robust.json. */
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

static void check_merge(json_t *item)
{
	json_t *limits = oracle_get(item, "tolerance"), *expect = oracle_get(item, "expect");
	double near = oracle_real(limits, "abs_of_mean");
	double rel = oracle_real(limits, "rel_of_var_and_m2");
	struct moments whole = {0}, backwards = {0};
	json_t *part;
	size_t i;

	json_array_foreach(oracle_get(item, "parts"), i, part)
	{
		json_t *want = json_array_get(oracle_get(expect, "parts"), i);
		cleanup_(mem_freep) double *values = NULL;
		struct moments got;
		size_t n;

		values = oracle_reals(part, &n);
		got = moments_of(values, n);
		check_moments(oracle_name(item), &got, want, near, rel);
		whole = moments_merge(whole, got);
		backwards = moments_merge(got, backwards);
	}
	check_moments(oracle_name(item), &whole, oracle_get(expect, "whole"), near, rel);
	check_moments(oracle_name(item), &backwards, oracle_get(expect, "whole"), near, rel);
}

static void test_merges(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("robust");
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "merges"), i, item) check_merge(item);
	assert_int_equal(i, 10);
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
	        cmocka_unit_test(test_merges),
	        cmocka_unit_test(test_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
