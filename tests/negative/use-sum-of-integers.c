/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: '_Generic' selector of type '[a-z ]+' is not compatible with any association|controlling expression type '[a-z0-9_]+'[^,]* not compatible with any generic association type */
#include "ctprof/metric/metric.h"

uint64_t add(uint64_t a, uint64_t b)
{
#ifdef FIXED
	return a + b;
#else
	return metric_sum(a, b);
#endif
}
