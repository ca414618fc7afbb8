// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/robust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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

struct robust robust_of(const double *values, size_t count)
{
	cleanup_(mem_freep) double *sorted = mem_calloc(count + 1, sizeof(sorted[0]));
	struct robust robust = {.n = count};

	if (count == 0)
		return robust;
	memcpy(sorted, values, count * sizeof(sorted[0]));
	values_sort(sorted, count);
	robust.median = quantile_of_sorted(sorted, count, 0.5);
	for (size_t i = 0; i < count; i++)
		sorted[i] = fabs(values[i] - robust.median);
	values_sort(sorted, count);
	robust.mad = 1.4826 * quantile_of_sorted(sorted, count, 0.5);
	return robust;
}

bool robust_z(const struct robust *robust, double value, double *ret)
{
	if (robust->mad <= 0)
		return false;
	*ret = (value - robust->median) / robust->mad;
	return true;
}
