/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* rank - tests and intervals by ranks, exact for any number of values and for ties: no distribution is assumed, and a value
 * that is far off counts like any other. The time of a test grows with the cube of the number of values. */
#include <stdbool.h>
#include <stddef.h>

#include "statistics/interval.h"

struct rank_test {
	size_t n; /* values with a rank that counts */
	/* The sum of the ranks of |d| over d > 0; or the pairs with x > y, in which a tie counts a half. Values that tie
	 * have the mean of their ranks. */
	double statistic;
	/* The probability of such a statistic or a larger one, a smaller one, and twice the smaller of both. */
	double p_greater, p_less, p;
	/* The probability of a statistic that is as far from its mean. It differs from p only if there are ties in two
	 * samples. */
	double p_distance;
};

enum rank_zeros {
	RANK_ZEROS_DROP, /* zeros are left out first (Wilcoxon) */
	RANK_ZEROS_KEEP, /* they have ranks, which are left out then (Pratt) */
};

/* Wilcoxon's signed-rank test of @count contrasts against 0. */
struct rank_test signed_rank_test(const double *contrasts, size_t count, enum rank_zeros zeros);

/* Wilcoxon's rank-sum test (Mann and Whitney's) of @x against @y; @x_count + @y_count is below 1000. */
struct rank_test rank_sum_test(const double *x, size_t x_count, const double *y, size_t y_count);

/* Hodges and Lehmann's estimate with its exact interval. */
struct rank_estimate {
	double estimate;
	struct interval
	        interval; /* from the k-th smallest to the k-th largest mean, or difference */
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

/* The median of all differences x - y; like the one above. */
bool rank_sum_estimate(const double *x, size_t x_count, const double *y, size_t y_count,
                       double level, struct rank_estimate *ret);
