// SPDX-License-Identifier: GPL-2.0-or-later
/* distribution - oracles/distributions.json: what libRmath returns. The incomplete beta is asked of the library itself, which
 * builds Student's t on it. */
#include "oracle.h"
#include "statistics/distribution.h"

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

static double number(json_t *row, size_t i)
{
	json_t *value = json_array_get(row, i);

	assert_true(json_is_number(value));
	return json_number_value(value);
}

static double t_tail_of(json_t *row)
{
	return t_upper_tail(number(row, 1), number(row, 0));
}

static double t_quantile_of(json_t *row)
{
	return t_quantile(number(row, 1), number(row, 0));
}

static double normal_tail_of(json_t *row)
{
	return normal_upper_tail(number(row, 0));
}

static double normal_quantile_of(json_t *row)
{
	return normal_quantile(number(row, 0));
}

static double beta_of(json_t *row)
{
	return pbeta(number(row, 2), number(row, 0), number(row, 1), 1, 0);
}

/* The last word of a row is the right answer. */
static void check_table(json_t *root, const char *name, double (*function)(json_t *row),
                        size_t count)
{
	double rel = oracle_real(oracle_get(root, "tolerance"), "rel");
	json_t *row;
	size_t i;

	json_array_foreach(oracle_get(oracle_get(root, name), "rows"), i, row) check_near(
	        name, "value", function(row), number(row, json_array_size(row) - 1), rel, 0);
	assert_int_equal(i, count);
}

static void test_tables(void **state)
{
	cleanup_(oracle_done) struct oracle oracle = oracle_open("distributions");

	(void)state;
	check_table(oracle.root, "t_upper_tail", t_tail_of, 150);
	check_table(oracle.root, "t_quantile", t_quantile_of, 195);
	check_table(oracle.root, "normal_upper_tail", normal_tail_of, 19);
	check_table(oracle.root, "normal_quantile", normal_quantile_of, 13);
	check_table(oracle.root, "incomplete_beta", beta_of, 84);
}

/* The other tails, by symmetry. */
static void test_symmetry(void **state)
{
	(void)state;
	for (double x = -6; x <= 6; x += 0.25) {
		check_near("t", "both tails", t_upper_tail(x, 5) + t_upper_tail(-x, 5), 1, 1e-14,
		           0);
		check_near("normal", "both tails", normal_upper_tail(x) + normal_upper_tail(-x), 1,
		           1e-14, 0);
	}
}

/* The density is the slope of the lower tail. With 2 degrees of freedom that is 1 - exp(-s^2). */
static void test_sd(void **state)
{
	(void)state;
	for (double s = 0.05; s < 3; s += 0.05) {
		check_near("sd", "lower tail", sd_lower_tail(s, 2), 1 - exp(-s * s), 1e-13, 0);
		check_near("sd", "density", sd_density(s, 2), 2 * s * exp(-s * s), 1e-13, 0);
		for (double df = 1; df < 300; df *= 3) {
			double slope =
			        (sd_lower_tail(s + 1e-5, df) - sd_lower_tail(s - 1e-5, df)) / 2e-5;

			check_near("sd", "slope", sd_density(s, df), slope, 1e-5, 1e-9);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_tables),
	        cmocka_unit_test(test_symmetry),
	        cmocka_unit_test(test_sd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
