// SPDX-License-Identifier: GPL-2.0-or-later
#include "database/robust.h"

#include <math.h>

#include "statistics/moments.h"
#include "statistics/quantile.h"

/* 1 over the third quartile of the normal distribution, and the square root of pi/2. */
static const double of_median = 1.482602218505602, of_mean = 1.2533141373155001;

struct robust robust_of(double *values, double *scratch, size_t count)
{
	struct robust robust;

	values_sort(values, count);
	robust.median = quantile_of_sorted(values, count, 0.5);
	for (size_t i = 0; i < count; i++)
		scratch[i] = fabs(values[i] - robust.median);
	values_sort(scratch, count);
	robust.scale = of_median * quantile_of_sorted(scratch, count, 0.5);
	if (robust.scale == 0)
		robust.scale = of_mean * values_sum(scratch, count) / (double)count;
	return robust;
}

double robust_z(const struct robust *robust, double value)
{
	return robust->scale > 0 ? (value - robust->median) / robust->scale : 0;
}
