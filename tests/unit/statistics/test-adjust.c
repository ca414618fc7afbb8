// SPDX-License-Identifier: GPL-2.0-or-later
/* adjust - what the correction of an experiment promises. */
#include "check.h"

#include <math.h>

#include "statistics/adjust.h"
#include "statistics/generator.h"
#include "statistics/sign-flip.h"

enum { BLOCKS = 10, ROWS = 60 };

/* Rows of noise with an sd of 4 %. Half of them share most of it. */
static void fill(struct generator *generator, double d[ROWS][BLOCKS])
{
	double shared[BLOCKS];

	for (size_t k = 0; k < BLOCKS; k++)
		shared[k] = generator_normal(generator);
	for (size_t i = 0; i < ROWS; i++)
		for (size_t k = 0; k < BLOCKS; k++) {
			double own = generator_normal(generator);

			d[i][k] = 0.04 * (i % 2 ? own : 0.8 * shared[k] + 0.6 * own);
		}
}

/* At most 5 % of the experiments without an effect have a row with p <= .05, with the error of 200 experiments. */
static void test_family(void **state)
{
	struct generator generator = {3};
	cleanup_(flips_done) struct flips flips = flips_of_coins(BLOCKS, 0);
	unsigned experiments = 0;

	(void)state;
	for (int round = 0; round < 200; round++) {
		double d[ROWS][BLOCKS];
		struct contrast_rows rows = {d[0], ROWS, BLOCKS};
		struct p_value p[ROWS];
		struct adjusted_family family;
		bool has_small = false;

		fill(&generator, d);
		family = adjust_rows(&rows, &flips, p);
		assert_int_equal(family.rows, ROWS);
		assert_true(family.critical_t > 2 && family.critical_t < 100);
		assert_true(family.critical_floored_t > 2 && family.critical_floored_t < 5);
		assert_true(family.sd_floor > 0.02 && family.sd_floor < 0.07);
		for (size_t i = 0; i < ROWS; i++) {
			assert_true(p[i].is_defined);
			has_small |= p[i].p <= 0.05;
		}
		experiments += has_small;
	}
	assert_in_range(experiments, 2, 16);
}

/* A row of zeros has no p; a large effect has nearly the smallest possible one among many rows; with five blocks nothing
 * can be shown. */
static void test_effect(void **state)
{
	struct generator generator = {4};
	double d[ROWS][BLOCKS];
	struct contrast_rows rows = {d[0], ROWS, BLOCKS};
	struct p_value p[ROWS];
	cleanup_(flips_done) struct flips flips = flips_of_coins(BLOCKS, 0);
	cleanup_(flips_done) struct flips five = flips_of_coins(5, 0);
	struct adjusted_family family;

	(void)state;
	fill(&generator, d);
	for (size_t k = 0; k < BLOCKS; k++) {
		d[7][k] = 0;
		d[9][k] += 0.3;
	}
	family = adjust_rows(&rows, &flips, p);
	assert_int_equal(family.rows, ROWS - 1);
	assert_false(p[7].is_defined);
	assert_true(p[9].p < 0.01);
	for (size_t i = 0; i < ROWS; i++)
		if (i != 9 && p[i].is_defined)
			assert_true(p[i].p > p[9].p);
	rows.blocks = 5;
	family = adjust_rows(&rows, &five, p);
	assert_true(isinf(family.critical_t) && isinf(family.critical_floored_t));
	assert_true(isinf(adjusted_detectable(&family, 5, 0.04, 0.8)));
	for (size_t i = 0; i < ROWS; i++)
		assert_true(!p[i].is_defined || p[i].p >= 0.0625);
}

/* A row that is far quieter than the others shows an effect that is small for them. */
static void test_quiet_row(void **state)
{
	struct generator generator = {6};
	double d[ROWS][BLOCKS];
	struct contrast_rows rows = {d[0], ROWS, BLOCKS};
	cleanup_(flips_done) struct flips flips = flips_of_coins(BLOCKS, 0);
	struct p_value p[ROWS];

	(void)state;
	fill(&generator, d);
	for (size_t k = 0; k < BLOCKS; k++)
		d[3][k] = 0.02 + 0.002 * generator_normal(&generator);
	adjust_rows(&rows, &flips, p);
	assert_true(p[3].p <= 0.05);
}

/* The smallest detectable effect is found as often as it says, and so many blocks are asked for an effect that has it. */
static void test_detectable(void **state)
{
	enum { ROUNDS = 200 };
	struct generator generator = {8};
	cleanup_(flips_done) struct flips flips = flips_of_coins(BLOCKS, 0);
	double effect = 0.06, sum = 0;
	unsigned found = 0;
	size_t blocks;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		double d[ROWS][BLOCKS];
		struct contrast_rows rows = {d[0], ROWS, BLOCKS};
		struct adjusted_family family;
		struct p_value p[ROWS];

		fill(&generator, d);
		for (size_t k = 0; k < BLOCKS; k++)
			d[5][k] += effect;
		family = adjust_rows(&rows, &flips, p);
		found += p[5].p <= 0.05;
		if (round % 10 != 0)
			continue;
		effect = adjusted_detectable(&family, BLOCKS, 0.04, 0.8);
		sum += effect;
		assert_true(adjusted_blocks_needed(&family, BLOCKS, effect, 0.04, 0.8, &blocks));
		assert_in_range(blocks, BLOCKS - 2, BLOCKS + 2);
		assert_true(adjusted_detectable(&family, BLOCKS, 0.001, 0.8) < 0.01);
	}
	/* Both measures together find a little more than the better one. Five standard deviations below. */
	assert_in_range(found, ROUNDS * 8 / 10 - 28, ROUNDS - 4);
	assert_true(sum > 0.05 * ROUNDS / 10 && sum < 0.07 * ROUNDS / 10);
}

/* Above so many blocks drawn tosses give nearly the same. */
static void test_many_blocks(void **state)
{
	enum { MANY = ADJUST_LISTED_BLOCKS + 1, FEW = 3 };
	struct generator generator = {12};
	cleanup_(flips_done) struct flips flips = flips_of_coins(MANY, 0);
	double d[FEW][MANY];
	struct contrast_rows rows = {d[0], FEW, MANY};
	struct max_t exact[FEW];
	struct p_value p[FEW];

	(void)state;
	assert_true(flips.is_every);
	for (size_t i = 0; i < FEW; i++)
		for (size_t k = 0; k < MANY; k++)
			d[i][k] = 0.5 * (double)i + generator_normal(&generator);
	adjust_rows(&rows, &flips, p);
	max_t_step_down(&rows, &flips, &max_t_student, exact);
	assert_true(p[2].p <= 0.01 && p[2].p >= 1 / (FLIPS_DRAWN + 1.0));
	for (size_t i = 0; i < FEW; i++)
		assert_true(fabs(p[i].p - exact[i].p) < 0.05);
}

/* One row alone has the p of its signs, and no rows are no harm. */
static void test_few_rows(void **state)
{
	static const double d[] = {0.02, 0.01, -0.005, 0.03, 0.02, 0.01, 0.04, -0.02};
	struct contrast_rows rows = {d, 1, 8};
	cleanup_(flips_done) struct flips flips = flips_of_coins(8, 0);
	struct p_value p;

	(void)state;
	assert_int_equal(adjust_rows(&rows, &flips, &p).rows, 1);
	assert_true(p.p == sign_flip(d, &flips).p);
	rows.rows = 0;
	assert_int_equal(adjust_rows(&rows, &flips, NULL).rows, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_family),      cmocka_unit_test(test_effect),
	        cmocka_unit_test(test_quiet_row),   cmocka_unit_test(test_detectable),
	        cmocka_unit_test(test_many_blocks), cmocka_unit_test(test_few_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
