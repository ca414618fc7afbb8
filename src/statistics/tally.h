/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* tally - how many rows of contrasts without an effect have a small p, and whether they are more than chance gives. Rows that
 * move together have small p together, which signs that are flipped for all rows at once keep. */
#include <stddef.h>

#include "statistics/max-t.h"
#include "statistics/p-value.h"

struct tally {
	size_t rows; /* that have a t */
	size_t low;  /* of these, by t at most alpha */
	/* The probability that flipped signs give contrasts that are as far from 0 in all rows together; of all flips, or
	 * of TALLY_FLIPS drawn ones. */
	struct p_value p;
};

/* More ways to flip than that are drawn. */
#define TALLY_FLIPS 8192

struct tally tally_low(const struct contrast_rows *rows, double alpha);
