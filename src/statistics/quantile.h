/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* quantile - sorts finite values, and finds quantiles of them. */
#include <stddef.h>

/* Sorts numbers, the smallest first. */
void values_sort(double *values, size_t count);

/* The value that a share @p of @count > 0 sorted values does not exceed, 0 <= p <= 1, between two values in proportion: R's
 * type 7. */
double quantile_of_sorted(const double *sorted, size_t count, double p);
