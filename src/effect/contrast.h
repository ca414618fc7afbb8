/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* contrast - the differences of a row's values between two arms, block by block. They are those of y, see contrast-scale.h. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "effect/trial.h"
#include "statistics/contrast-scale.h"

/* Two arms, and the blocks that have them. */
struct contrast_plan {
	const struct trial *trial; /* borrowed; its blocks were found */
	unsigned a, b;
};

/* Stores the mean of y in arm b minus that in arm a, for each block. */
void contrast_blocks(const struct contrast_plan *plan, const double *y, double *ret);

/* Returns whether the block is ABBA (@ret_first_is_a) or BAAB of the two arms. */
bool contrast_block_is_chain(const struct contrast_plan *plan, size_t block, bool *ret_first_is_a);

/* Stores for each block (A2 - A1) - 3 (B2 - B1) in ABBA, with the letters swapped in BAAB: neither an effect nor a drift
 * changes its mean of 0. Returns false if a block is no such chain. */
bool contrast_null(const struct contrast_plan *plan, const double *y, double *ret);

/* A test of two groups of blocks, or of a slope. */
struct contrast_test {
	bool is_defined;
	double estimate, p;
};

/* The change of y in the unit behind the other arm, as far as it is not there in the unit behind the same one: half of the
 * difference between the chains' middle steps, in which a drift cancels. Positive: towards the arm before it, if b is
 * above a. Two chains of each kind are needed. */
struct contrast_test contrast_carry_over(const struct contrast_plan *plan, const double *y);

/* The change of arm a from block to block, by a line through its means; if there are several sessions, by parallel lines, one through
 * each. */
struct contrast_test contrast_drift(const struct contrast_plan *plan, const double *y);
