// SPDX-License-Identifier: GPL-2.0-or-later
/* robust - oracles/robust.json, and one case of oracles/published.json. */
#include "oracle.h"
#include "statistics/moments.h"
#include "statistics/robust.h"

static void check_case(json_t *item, json_t *probabilities)
{
	json_t *want = oracle_get(item, "expect"), *limits = oracle_get(item, "tolerance");
	double near = oracle_real(limits, "abs_of_median_mad_quantiles");
	double rel = oracle_real(limits, "rel");
	const char *name = oracle_name(item);
	cleanup_(mem_freep) double *values = NULL;
	json_t *probability, *z = oracle_get(want, "z");
	struct robust got;
	size_t n, i;

	values = oracle_reals(oracle_get(item, "x"), &n);
	got = robust_of(values, n);
	assert_int_equal(got.n, n);
	check_near(name, "median", got.median, oracle_real(want, "median"), rel, near);
	check_near(name, "mad", got.mad, oracle_real(want, "mad"), rel, near);
	assert_int_equal(json_is_null(z), json_is_null(oracle_get(limits, "abs_of_z")));
	for (i = 0; i < n; i++) {
		double number = -77;

		assert_int_equal(robust_z(&got, values[i], &number), !json_is_null(z));
		if (json_is_null(z))
			assert_true(number == -77);
		else
			check_near(name, "z", number, json_number_value(json_array_get(z, i)), rel,
			           oracle_real(limits, "abs_of_z"));
	}
	values_sort(values, n);
	json_array_foreach(probabilities, i, probability) check_near(
	        name, "quantile", quantile_of_sorted(values, n, json_number_value(probability)),
	        json_number_value(json_array_get(oracle_get(want, "quantiles"), i)), rel, near);
}

static void test_cases(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("robust");
	json_t *probabilities = oracle_get(oracle.root, "probs"), *item;
	size_t i;

	(void)state;
	assert_int_equal(json_array_size(probabilities), 10);
	json_array_foreach(oracle_get(oracle.root, "cases"), i, item)
	        check_case(item, probabilities);
	assert_int_equal(i, 12);
}

static void test_published(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("published");
	unsigned cases = 0;
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "cases"), i, item)
	{
		json_t *want = oracle_get(item, "expect");
		cleanup_(mem_freep) double *values = NULL;
		struct robust got;
		size_t n;

		if (!json_object_get(want, "mad"))
			continue;
		values = oracle_reals(oracle_get(item, "x"), &n);
		got = robust_of(values, n);
		check_near("copper", "median", got.median, oracle_real(want, "median"), 1e-10, 0);
		check_near("copper", "mad", got.mad, oracle_real(want, "mad"), 1e-10, 0);
		check_near("copper", "mean", moments_of(values, n).mean, oracle_real(want, "mean"),
		           1e-10, 0);
		cases++;
	}
	assert_int_equal(cases, 1);
}

static void test_nothing(void **state)
{
	struct robust nothing = robust_of(NULL, 0);
	double z = 5;

	(void)state;
	assert_int_equal(nothing.n, 0);
	assert_false(robust_z(&nothing, 1, &z));
	assert_true(z == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_cases),
	        cmocka_unit_test(test_published),
	        cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
