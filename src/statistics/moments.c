// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/moments.h"

#include <math.h>

double values_sum(const double *values, size_t count)
{
	double sum = 0, lost = 0;

	for (size_t i = 0; i < count; i++) {
		double next = sum + values[i];

		lost += fabs(sum) >= fabs(values[i]) ? (sum - next) + values[i]
		                                     : (values[i] - next) + sum;
		sum = next;
	}
	return sum + lost;
}

struct moments moments_of(const double *values, size_t count)
{
	struct moments moments = {.n = count};
	double squares = 0, rest = 0;

	if (count == 0)
		return moments;
	moments.mean = values_sum(values, count) / (double)count;
	for (size_t i = 0; i < count; i++) {
		double deviation = values[i] - moments.mean;

		squares += deviation * deviation;
		rest += deviation;
	}
	/* The mean is rounded, so the deviations have a small sum, which counts at large offsets. */
	moments.m2 = fmax(0, squares - rest * rest / (double)count);
	return moments;
}

bool moments_variance(const struct moments *moments, double *ret)
{
	if (moments->n < 2)
		return false;
	*ret = moments->m2 / (double)(moments->n - 1);
	return true;
}
