/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* distribution - Student's t, the normal and the chi distribution, by R's library libRmath. Its random numbers, which are
 * global, are not used. */

/* P(T > @t), for @df degrees of freedom, df > 0. */
double t_upper_tail(double t, double df);

/* The t that is exceeded with probability @p, 0 < p < 1. */
double t_quantile(double p, double df);

/* P(Z > @z), and the z that is exceeded with probability @p, 0 < p < 1. */
double normal_upper_tail(double z);
double normal_quantile(double p);

/* S is an sd that is estimated with @df degrees of freedom, over the true one: its density at @s > 0, and P(S < @s). */
double sd_density(double s, double df);
double sd_lower_tail(double s, double df);
