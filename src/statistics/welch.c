// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/welch.h"

#include <float.h>
#include <math.h>

#include "statistics/distribution.h"
#include "statistics/moments.h"

struct welch_test welch_test(const double *a, size_t a_count, const double *b, size_t b_count)
{
	struct moments of_a = moments_of(a, a_count), of_b = moments_of(b, b_count);
	struct welch_test test = {.difference = of_b.mean - of_a.mean};
	double va, vb;

	if (!moments_variance(&of_a, &va) || !moments_variance(&of_b, &vb))
		return test;
	va /= (double)a_count;
	vb /= (double)b_count;
	test.se = sqrt(va + vb);
	/* Less is the rounding of the means. */
	test.has_t = test.se > 10 * DBL_EPSILON * (fabs(of_a.mean) + fabs(of_b.mean)) &&
	             of_a.m2 + of_b.m2 >= DBL_MIN;
	if (!test.has_t)
		return test;
	/* Shares of the sum, whose squares are neither too large nor too small. */
	va /= test.se * test.se;
	vb /= test.se * test.se;
	test.df = 1 / (va * va / (double)(a_count - 1) + vb * vb / (double)(b_count - 1));
	test.t = test.difference / test.se;
	test.p = 2 * t_upper_tail(fabs(test.t), test.df);
	return test;
}

bool welch_interval(const struct welch_test *test, double level, struct interval *ret)
{
	double reach;

	if (!test->has_t)
		return false;
	reach = t_quantile((1 - level) / 2, test->df) * test->se;
	*ret = (struct interval){test->difference - reach, test->difference + reach};
	return true;
}
