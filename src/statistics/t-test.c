// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/t-test.h"

#include <float.h>
#include <math.h>

#include "statistics/distribution.h"
#include "statistics/moments.h"

struct t_test t_test(const double *contrasts, size_t n)
{
	struct moments moments = moments_of(contrasts, n);
	struct t_test test = {.n = n, .mean = moments.mean, .df = n > 0 ? n - 1 : 0};
	double variance;

	test.has_sd = moments_variance(&moments, &variance);
	if (!test.has_sd)
		return test;
	test.sd = sqrt(variance);
	test.se = test.sd / sqrt((double)n);
	/* A sum of squares that is no normal number has lost digits, so that there is no t either. */
	test.has_t = test.sd > 10 * DBL_EPSILON * fabs(test.mean) && moments.m2 >= DBL_MIN;
	if (!test.has_t)
		return test;
	test.t = test.mean / test.se;
	test.p = 2 * t_upper_tail(fabs(test.t), (double)test.df);
	return test;
}

bool t_interval(const struct t_test *test, double level, struct interval *ret)
{
	double reach;

	if (!test->has_t)
		return false;
	reach = t_quantile((1 - level) / 2, (double)test->df) * test->se;
	*ret = (struct interval){test->mean - reach, test->mean + reach};
	return true;
}
