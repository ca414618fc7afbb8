// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/robust.h"

#include <math.h>

#include "statistics/moments.h"
#include "statistics/quantile.h"

/* 1 over the third quartile of the normal distribution, and the square root of pi/2. */
static const double of_median = 1.482602218505602, of_mean = 1.2533141373155001;

/* Values that are the same may differ by this part of the largest one, if they are quotients. */
static const double rounding = 1e-12;

struct robust robust_of(double *values, double *scratch, size_t count)
{
	struct robust robust;
	double same;

	values_sort(values, count);
	same = fmax(fabs(values[0]), fabs(values[count - 1])) * rounding;
	robust.median = quantile_of_sorted(values, count, 0.5);
	for (size_t i = 0; i < count; i++)
		scratch[i] = fabs(values[i] - robust.median);
	values_sort(scratch, count);
	robust.scale = of_median * quantile_of_sorted(scratch, count, 0.5);
	if (robust.scale <= same)
		robust.scale = of_mean * values_sum(scratch, count) / (double)count;
	if (robust.scale <= same)
		robust.scale = 0;
	return robust;
}

double robust_z(const struct robust *robust, double value)
{
	return robust->scale > 0 ? (value - robust->median) / robust->scale : 0;
}

/* The scale is as good as a standard deviation of 36.75 % as many values (the efficiency of the median absolute deviation, Hampel 1974),
 * so that z is a t. The deviate of a t is Wallace's approximation (1959), which holds where probabilities are too small for a number. */
double robust_certain_z(double z, size_t count)
{
	static const double efficiency = 0.3675;
	double df = efficiency * ((double)count - 1);

	if (!(df > 0))
		return 0;
	return (8 * df + 1) / (8 * df + 3) * sqrt(df * log1p(z * z / df));
}
