/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* sign-flip - the test of a row by the coins themselves: no distribution is assumed. */
#include <stddef.h>

#include "statistics/flips.h"

struct sign_flip {
	/* Tosses of the list whose sum of contrasts is at least as far from 0 as the observed one, not below it, and
	 * not above it. Sums within 1e-12 * sum|contrasts| are equal. */
	size_t count, count_upper, count_lower;
	double p; /* two-sided, by flips_p() */
};

/* @contrasts has flips->blocks numbers. */
struct sign_flip sign_flip(const double *contrasts, const struct flips *flips);
