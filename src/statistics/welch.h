/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* welch - Welch's t test: the difference of the means of two groups that have nothing in common, each with a variance of its own.
 * Values are finite. */
#include <stdbool.h>
#include <stddef.h>

#include "statistics/interval.h"

struct welch_test {
	double difference; /* the mean of b less that of a; if both have values */
	/* Both groups have two values or more, and not all values of both are the same number within their group: see t-test.h. */
	bool has_t;
	double se, df, t, p; /* p has two sides */
};

struct welch_test welch_test(const double *a, size_t a_count, const double *b, size_t b_count);

/* Stores the interval of the difference at @level, such as .95; 0 < level < 1. Returns false, and leaves *@ret, if there is no t. */
bool welch_interval(const struct welch_test *test, double level, struct interval *ret);
