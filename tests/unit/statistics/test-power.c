// SPDX-License-Identifier: GPL-2.0-or-later
/* power - oracles/power.json, and what follows from it. */
#include "oracle.h"
#include "statistics/generator.h"
#include "statistics/power.h"

static void test_detectable(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("power");
	double rel = oracle_real(oracle_get(oracle.root, "tolerance"), "rel_of_delta");
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "detectable"), i, item)
	{
		double want = oracle_real(oracle_get(item, "expect"), "delta");
		double sd = oracle_real(item, "sd"), power = oracle_real(item, "power");
		double alpha = oracle_real(item, "alpha");
		size_t n = oracle_count(item, "n"), blocks;
		double critical = power_critical_t(n, alpha);

		check_near(oracle_name(item), "delta", power_detectable(n, critical, power) * sd,
		           want, rel, 0);
		check_near(oracle_name(item), "power", power_of_effect(n, want / sd, critical),
		           power, rel, 0);
		/* A little more needs no more blocks, a little less needs one more. */
		assert_true(power_blocks_for_effect(want / sd * (1 + 1e-6), alpha, power, &blocks));
		assert_int_equal(blocks, n);
		assert_true(power_blocks_for_effect(want / sd * (1 - 1e-6), alpha, power, &blocks));
		assert_int_equal(blocks, n + 1);
	}
	assert_int_equal(i, 14);
}

static void test_equivalence(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("power");
	double rel = oracle_real(oracle_get(oracle.root, "tolerance"), "rel_of_margin");
	json_t *item;
	size_t i;

	(void)state;
	json_array_foreach(oracle_get(oracle.root, "equivalence"), i, item)
	{
		json_t *expect = oracle_get(item, "expect");
		double want = oracle_real(expect, "margin"), power = oracle_real(item, "power");
		double shortcut = oracle_real(expect, "margin_shortcut");
		size_t n = oracle_count(item, "n"), blocks;

		check_near("margin", "power", power_of_margin(n, want), power, rel, 0);
		/* Printed with four digits. */
		check_near("margin", "power at the shortcut", power_of_margin(n, shortcut),
		           oracle_real(item, "power_at_the_shortcut"), 0, 0.50001e-4);
		assert_true(power_blocks_for_margin(want * (1 + 1e-6), power, &blocks));
		assert_int_equal(blocks, n);
		assert_true(power_blocks_for_margin(want * (1 - 1e-6), power, &blocks));
		assert_int_equal(blocks, n + 1);
	}
	assert_int_equal(i, 8);
}

/* With two blocks the sd is that of one number, and the power has a form of its own: |Z| < (effect + z) / critical, by a
 * sum over z. */
static double power_of_two(double center, double critical)
{
	double sum = 0, step = 1e-3;

	for (double z = -center; z < 9; z += step) {
		double middle = z + step / 2;

		sum += exp(-middle * middle / 2) / sqrt(2 * M_PI) *
		       erf((center + middle) / critical / sqrt(2)) * step;
	}
	return sum;
}

static void test_two_blocks(void **state)
{
	(void)state;
	for (double alpha = 0.2; alpha > 0.0009; alpha /= 2) {
		double critical = power_critical_t(2, alpha);

		for (double center = 0.5; center < 1000; center *= 3)
			check_near("two blocks", "power",
			           power_of_effect(2, center / sqrt(2), critical),
			           power_of_two(center, critical), 1e-6, 1e-6);
	}
}

/* Without an effect half of alpha remains, on the right side; and many blocks are like the normal distribution. */
static void test_limits(void **state)
{
	size_t blocks = 77;

	(void)state;
	for (size_t n = 2; n < 3000; n = n * 3 / 2 + 1) {
		check_near("no effect", "power", power_of_effect(n, 0, power_critical_t(n, 0.05)),
		           0.025, 1e-9, 0);
		assert_true(power_of_effect(n, 1e6, power_critical_t(n, 0.05)) > 1 - 1e-12);
		assert_true(power_of_margin(n, 1e6) > 1 - 1e-12);
		assert_true(power_of_margin(n, 1e-9) < 0.05);
	}
	/* (1.959964 + 0.841621)^2 / 0.01^2 is 78488.8, and the t needs two blocks more. */
	assert_true(power_blocks_for_effect(0.01, 0.05, 0.8, &blocks));
	assert_in_range(blocks, 78489, 78493);
	assert_false(power_blocks_for_effect(0.001, 0.05, 0.8, &blocks));
	assert_false(power_blocks_for_margin(0.001, 0.9, &blocks));
	assert_in_range(blocks, 78489, 78493);
	assert_true(power_blocks_for_effect(1e9, 0.05, 0.8, &blocks));
	assert_int_equal(blocks, 2);
}

/* The smallest effect that a floor under the sd leaves, against draws of Z and S. */
static void test_floor(void **state)
{
	enum { DRAWS = 100000, BLOCKS = 10 };
	static const double floors[] = {0.3, 0.9, 1, 1.5, 8};
	struct generator generator = {11};

	(void)state;
	check_near("floor", "none", power_detectable_floored(BLOCKS, 3, 0, 0.8),
	           power_detectable(BLOCKS, 3, 0.8), 1e-12, 0);
	for (size_t i = 0; i < ARRAY_SIZE(floors); i++) {
		double center = power_detectable_floored(BLOCKS, 3, floors[i], 0.8) * sqrt(BLOCKS);
		unsigned found = 0;

		for (int k = 0; k < DRAWS; k++) {
			double squares = 0;

			for (int j = 0; j < BLOCKS - 1; j++) {
				double z = generator_normal(&generator);

				squares += z * z;
			}
			found += center + generator_normal(&generator) >
			         3 * fmax(floors[i], sqrt(squares / (BLOCKS - 1)));
		}
		/* Five standard deviations. */
		check_near("floor", "power", (double)found / DRAWS, 0.8, 0, 0.0064);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_detectable), cmocka_unit_test(test_equivalence),
	        cmocka_unit_test(test_two_blocks), cmocka_unit_test(test_limits),
	        cmocka_unit_test(test_floor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
