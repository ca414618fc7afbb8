// SPDX-License-Identifier: GPL-2.0-or-later
#include "statistics/distribution.h"

/* The library outside of R. */
#define MATHLIB_STANDALONE 1
#include <Rmath.h>

double t_upper_tail(double t, double df)
{
	return pt(t, df, 0, 0);
}

double t_quantile(double p, double df)
{
	return qt(p, df, 0, 0);
}

double normal_upper_tail(double z)
{
	return pnorm(z, 0, 1, 0, 0);
}

double normal_quantile(double p)
{
	return qnorm(p, 0, 1, 0, 0);
}

double sd_density(double s, double df)
{
	return 2 * df * s * dchisq(df * s * s, df, 0);
}

double sd_lower_tail(double s, double df)
{
	return pchisq(df * s * s, df, 1, 0);
}
