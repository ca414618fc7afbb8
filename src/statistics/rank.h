/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* rank - an estimate and its interval by ranks, exact for any number of values: no distribution is assumed, and a value that
 * is far off counts like any other. The time grows with the cube of the number of values. */
#include <stdbool.h>
#include <stddef.h>

#include "statistics/interval.h"

/* Hodges and Lehmann's estimate with its exact interval. */
struct rank_estimate {
	double estimate;
	struct interval interval; /* from the k-th smallest to the k-th largest mean */
	size_t k;
	double achieved; /* the level of the interval, for values without ties */
	/* The level that was asked for is reached. If it is not, k is 1 and the interval is the widest that there is:
	 * 95 % needs six contrasts, 99 % eight. */
	bool reaches_level;
};

/* The median of the means of all pairs of contrasts, each with itself as well. Returns false, and leaves *@ret, if there
 * are none. 0 < level < 1. */
bool signed_rank_estimate(const double *contrasts, size_t count, double level,
                          struct rank_estimate *ret);
