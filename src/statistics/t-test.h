/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* t-test - the mean of block contrasts, its interval and its p by Student's t. The null hypothesis is a mean of 0. All
 * values are in the unit of the contrasts; contrasts are finite. */
#include <stdbool.h>
#include <stddef.h>

#include "statistics/interval.h"

struct t_test {
	size_t n;
	double mean; /* if n > 0 */
	bool has_sd; /* n > 1 */
	double sd, se;
	/* Two contrasts or more, which are not all the same number. Constant contrasts have sd <= 10 * DBL_EPSILON *
	 * |mean|: their t would be infinite, the interval a point, and the p 0. They have no t, no p and no interval,
	 * and a p by sign flips. */
	bool has_t;
	size_t df;
	double t, p; /* p has two sides */
};

struct t_test t_test(const double *contrasts, size_t n);

/* The interval of the mean at @level, such as .95; 0 < level < 1. Returns false, and leaves *@ret, if there is no t. */
bool t_interval(const struct t_test *test, double level, struct interval *ret);
