/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* moments - number, mean and sum of squared deviations of finite values, stable at any offset. */
#include <stdbool.h>
#include <stddef.h>

struct moments {
	size_t n;
	double mean; /* none, and stored as 0, if n is 0 */
	double m2;   /* the sum of (value - mean)^2 */
};

/* The sum of @count values, compensated (Neumaier): as exact as its rounded result can be, short of huge
 * cancellation. */
double values_sum(const double *values, size_t count);

struct moments moments_of(const double *values, size_t count);

/* The variance, m2 / (n - 1). Returns false, and leaves *@ret, for less than two values. */
bool moments_variance(const struct moments *moments, double *ret);
