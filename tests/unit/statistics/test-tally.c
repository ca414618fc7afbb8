// SPDX-License-Identifier: GPL-2.0-or-later
/* tally - numbers against all flips by hand, and what rows that move together make of it. */
#include "check.h"

#include <math.h>

#include "statistics/generator.h"
#include "statistics/t-test.h"
#include "statistics/tally.h"

enum { BLOCKS = 8, ROWS = 60 };

static double contrasts[ROWS][BLOCKS];

static struct tally tally_of(size_t rows)
{
	return tally_low(&(struct contrast_rows){&contrasts[0][0], rows, BLOCKS}, .05);
}

static void fill(size_t rows, uint64_t seed, double mean, double common)
{
	struct generator generator = {seed};

	for (size_t k = 0; k < BLOCKS; k++)
		for (size_t row = 0; row < rows; row++)
			contrasts[row][k] =
			        row > 0 && common > 0
			                ? common * contrasts[0][k] + generator_normal(&generator)
			                : mean + generator_normal(&generator);
}

/* Each of the 256 ways to flip, by t_test() itself. */
static void test_all_flips(void **state)
{
	double observed = 0;
	size_t hits = 0, low = 0;
	struct tally tally;

	(void)state;
	fill(7, 3, .5, 0);
	for (unsigned flips = 0; flips < 1 << BLOCKS; flips++) {
		double size = 0;

		for (size_t row = 0; row < 7; row++) {
			double flipped[BLOCKS];
			struct t_test test;

			for (size_t k = 0; k < BLOCKS; k++)
				flipped[k] = (flips >> k & 1 ? -1 : 1) * contrasts[row][k];
			test = t_test(flipped, BLOCKS);
			/* The share of the squares that is the mean's. */
			size += test.t * test.t / (test.t * test.t + BLOCKS - 1);
			low += flips == 0 && test.p <= .05;
		}
		if (flips == 0)
			observed = size;
		hits += size >= observed - 1e-9;
	}
	tally = tally_of(7);
	assert_int_equal(tally.rows, 7);
	assert_int_equal(tally.low, low);
	assert_true(low > 0 && hits < 256);
	assert_true(tally.p.is_defined);
	assert_true(fabs(tally.p.p - (double)hits / 256) < 1e-12);
}

/* Sixty rows that are nearly one have one p, not sixty: it is small as often as that of a single row. */
static void test_common_rows(void **state)
{
	size_t many = 0, doubted = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct tally tally;

		fill(ROWS, 1000 * seed, 0, 50);
		tally = tally_of(ROWS);
		many += tally.low > ROWS / 2;
		doubted += tally.p.p <= .01;
	}
	/* .05 and .01 of 300, with four standard errors. */
	assert_true(many >= 1 && many <= 30);
	assert_true(doubted <= 10);
}

static void test_shift(void **state)
{
	(void)state;
	fill(ROWS, 5, .7, 0);
	assert_true(tally_of(ROWS).p.p <= .01);
	fill(ROWS, 5, 0, 0);
	assert_true(tally_of(ROWS).p.p > .05);
}

static void test_nothing(void **state)
{
	struct tally tally;

	(void)state;
	assert_false(tally_of(0).p.is_defined);
	memset(contrasts, 0, sizeof(contrasts));
	tally = tally_of(3);
	assert_int_equal(tally.rows, 0);
	assert_false(tally.p.is_defined);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_all_flips),
	        cmocka_unit_test(test_common_rows),
	        cmocka_unit_test(test_shift),
	        cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
