/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* robust - the middle and the spread of values, some of which may be far off. All values are finite. */
#include <stdbool.h>
#include <stddef.h>

/* Sorts numbers, the smallest first. */
void values_sort(double *values, size_t count);

/* The value that a share @p of @count > 0 sorted values does not exceed, 0 <= p <= 1, between two values in proportion: R's
 * type 7. */
double quantile_of_sorted(const double *sorted, size_t count, double p);

struct robust {
	size_t n;
	double median; /* if n > 0, as the next one */
	/* The median of |value - median|, times 1.4826, which makes it the sd of a normal distribution. 0 if half of
	 * the values or more are equal. */
	double mad;
};

/* @values are left as they are. */
struct robust robust_of(const double *values, size_t count);

/* Stores the distance of @value from the median, in units of mad. Returns false, and leaves *@ret, if mad is 0 or there are no
 * values. */
bool robust_z(const struct robust *robust, double value, double *ret);
