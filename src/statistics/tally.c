// SPDX-License-Identifier: GPL-2.0-or-later
/* Flips keep the sum of squares q of a row, so that w = sum^2 / (n q) orders them as |t| does: 0 if the contrasts cancel, 1 if
 * they are all the same. The number of low p would be the same for many flips of few blocks; the sum of w is not. */
#include "statistics/tally.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "flip-sums.h"
#include "statistics/t-test.h"

/* The ways to flip up to this number of blocks are listed: 2^13 of them. */
enum { LISTED_BLOCKS = 13 };

/* Adds w of the row for each flip, and for none. Returns the latter. */
static double add_row(const double *contrasts, const struct flips *flips, double *sizes)
{
	cleanup_(flip_sums_done) struct flip_sums sums =
	        flip_sums_new(contrasts, flips->blocks, flips->stride);
	double squares = 0, sum = 0;

	for (size_t i = 0; i < flips->blocks; i++) {
		squares += contrasts[i] * contrasts[i];
		sum += contrasts[i];
	}
	squares *= (double)flips->blocks;
	for (size_t i = 0; i < flips->count; i++) {
		double flipped = flip_sum(&sums, flips->bytes + i * flips->stride);

		sizes[i] += flipped * flipped / squares;
	}
	return sum * sum / squares;
}

struct tally tally_low(const struct contrast_rows *rows, double alpha)
{
	cleanup_(flips_done) struct flips flips = rows->blocks <= LISTED_BLOCKS
	                                                  ? flips_of_coins(rows->blocks, 1)
	                                                  : flips_drawn(rows->blocks, 1);
	cleanup_(mem_freep) double *sizes = NULL;
	struct tally tally = {0};
	double observed = 0;
	size_t hits = 0;

	if (flips.count > TALLY_FLIPS)
		flips.count = TALLY_FLIPS;
	sizes = mem_calloc(flips.count + 1, sizeof(sizes[0]));
	for (size_t row = 0; row < rows->rows && rows->blocks > 1; row++) {
		const double *contrasts = rows->contrasts + row * rows->blocks;
		struct t_test test = t_test(contrasts, rows->blocks);

		if (!test.has_t)
			continue;
		tally.rows++;
		tally.low += test.p <= alpha;
		observed += add_row(contrasts, &flips, sizes);
	}
	for (size_t i = 0; i < flips.count; i++)
		hits += sizes[i] >= observed * (1 - 1e-9);
	if (tally.rows > 0)
		tally.p = (struct p_value){true, flips_p(&flips, hits)};
	return tally;
}
