/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* adjust - the correction for the number of rows: the one that the answers of an experiment go by, for all rows that were
 * not declared as primaries. docs/statistics.md has what it was measured against. */
#include <stdbool.h>

#include "statistics/flips.h"
#include "statistics/max-t.h"
#include "statistics/p-value.h"

/* A list of all tosses of more blocks costs seconds for thousands of rows, so FLIPS_DRAWN of them are drawn instead, always
 * the same ones. */
#define ADJUST_LISTED_BLOCKS 16

struct adjusted_family {
	size_t rows; /* that have a p */
	/* A row moves, even if it is the largest of all, if |mean| is larger than critical_t standard errors, or than
	 * critical_floored_t of the standard errors that an sd of at least sd_floor has: the median over the rows of
	 * the root mean square of their contrasts. Both are infinite if these tosses cannot show any move. */
	double critical_t, critical_floored_t;
	double sd_floor; /* in the unit of the contrasts */
};

/* Fills @ret for each row: the probability that a toss gives any row as large a change, if no row of the rest has one. In
 * at most alpha of all experiments a row without an effect has p <= alpha, however rows depend on each other. A row of
 * zeros has none. All contrasts are in the same unit, such as differences of logarithms. */
struct adjusted_family adjust_rows(const struct contrast_rows *rows, const struct flips *flips,
                                   struct p_value *ret);

/* The smallest effect that a row with contrasts of this @sd > 0 shows with probability @power, .5 <= power < 1, with
 * @blocks blocks; in the unit of the contrasts. Infinite if none can be shown. */
double adjusted_detectable(const struct adjusted_family *family, size_t blocks, double sd,
                           double power);

/* About how many blocks would show @effect > 0 in such a row, with @blocks blocks in the experiment that the family is of. Returns
 * false, and leaves *@ret, if these are more than POWER_BLOCKS_MAX, or the family shows nothing at all. */
bool adjusted_blocks_needed(const struct adjusted_family *family, size_t blocks, double effect,
                            double sd, double power, size_t *ret);
