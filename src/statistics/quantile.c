// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/quantile.h"

#include <math.h>
#include <stdlib.h>

static int value_compare(const void *a_ptr, const void *b_ptr)
{
	const double *a = a_ptr, *b = b_ptr;

	return (*a > *b) - (*a < *b);
}

void values_sort(double *values, size_t count)
{
	if (count > 1)
		qsort(values, count, sizeof(values[0]), value_compare);
}

double quantile_of_sorted(const double *sorted, size_t count, double p)
{
	/* .57 * 100 is a little less than 57, which would be the place before. */
	double place = (double)(count - 1) * p, whole = floor(place + 1e-12);
	size_t below = (size_t)whole;

	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] + fmax(0, place - whole) * (sorted[below + 1] - sorted[below]);
}
