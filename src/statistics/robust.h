/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* robust - the centre and the spread of values of which some are far off. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"

struct robust {
	double median;
	/* The median absolute deviation in standard deviations of a normal distribution (times 1.4826); if it is 0, the mean one
	 * (times 1.2533). 0 if all values are the same, to 12 digits. */
	double scale;
};

/* Returns those of @count > 0 values. @scratch has room for as many; both arrays are sorted. */
struct robust robust_of(double *values, double *scratch, size_t count);

/* Returns how many scales a value is from the median; 0 if the scale is 0. */
double robust_z(const struct robust *robust, double value);

/* Returns z, without its sign, less what chance may have made of it because the scale of @count values is uncertain itself: a value that
 * is as unlikely as this many standard deviations of a normal distribution whose spread is known. */
double robust_certain_z(double z, size_t count);
