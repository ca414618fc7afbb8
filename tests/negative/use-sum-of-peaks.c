/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: '_Generic' selector of type 'struct peak_ns' is not compatible with any association|controlling expression type 'struct peak_ns' not compatible with any generic association type */
#include "ctprof/metric/metric.h"

struct peak_ns add(struct peak_ns a, struct peak_ns b)
{
#ifdef FIXED
	return a.v > b.v ? a : b;
#else
	return metric_sum(a, b);
#endif
}
