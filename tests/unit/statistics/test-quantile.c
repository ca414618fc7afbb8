// SPDX-License-Identifier: GPL-2.0-or-later
/* quantile - oracles/robust.json, and one case of oracles/published.json. */
#include "oracle.h"
#include "statistics/quantile.h"

static void check_case(json_t *item, json_t *root)
{
	json_t *want = oracle_get(item, "expect"), *limits = oracle_get(item, "tolerance");
	double near = oracle_real(limits, "abs_of_median_mad_quantiles");
	double rel = oracle_real(limits, "rel");
	const char *name = oracle_name(item);
	cleanup_(mem_freep) double *values = NULL;
	json_t *probability;
	size_t n, i;

	values = oracle_reals(oracle_get(item, "x"), &n);
	values_sort(values, n);
	check_near(name, "median", quantile_of_sorted(values, n, 0.5), oracle_real(want, "median"),
	           rel, near);
	json_array_foreach(oracle_get(root, "probs"), i, probability) check_near(
	        name, "quantile", quantile_of_sorted(values, n, json_number_value(probability)),
	        json_number_value(json_array_get(oracle_get(want, "quantiles"), i)), rel, near);
	assert_int_equal(i, 10);
}

static void check_published(json_t *item, json_t *want)
{
	cleanup_(mem_freep) double *values = NULL;
	size_t n;

	values = oracle_reals(oracle_get(item, "x"), &n);
	values_sort(values, n);
	check_near("copper", "median", quantile_of_sorted(values, n, 0.5),
	           oracle_real(want, "median"), 1e-10, 0);
}

static void test_oracles(void **state)
{
	(void)state;
	oracle_each("robust", "cases", 12, check_case);
	oracle_published("median", 1, check_published);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_oracles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
