/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: invalid operands to binary (\+|expression) */
#include "ctprof/metric/metric.h"

struct counter_ns add(struct counter_ns a, struct counter_ns b)
{
#ifdef FIXED
	return metric_sum(a, b);
#else
	return a + b;
#endif
}
