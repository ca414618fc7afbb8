/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* contrast-scale - y, the form in which values of two arms are compared: their logarithm if all are above 0, else their share of
 * the mean of all sizes, so that a difference of y is a relative change in each row. */
#include <stdbool.h>
#include <stddef.h>

/* The meaning of y. */
struct contrast_scale {
	bool is_log;
	double one; /* the value of which y is 1, unless it is a logarithm */
};

/* Stores y of each value. Returns false if there is none: a value is missing, or they are all 0. */
bool contrast_scale_values(const double *values, size_t count, double *ret_y,
                           struct contrast_scale *ret);
