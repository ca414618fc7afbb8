/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: incompatible type for argument 2 of 'metric_sum_counter_ns'|passing 'struct counter_bytes' to parameter of incompatible type 'struct counter_ns' */
#include "ctprof/metric/metric.h"

struct counter_ns add(struct counter_ns a, struct counter_bytes b, struct counter_ns c)
{
	(void)b, (void)c;
#ifdef FIXED
	return metric_sum(a, c);
#else
	return metric_sum(a, b);
#endif
}
