/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: invalid operands to binary (<|expression) */
#include "ctprof/metric/metric.h"

bool is_less(struct counter_ns a, struct counter_ns b)
{
#ifdef FIXED
	return a.v < b.v;
#else
	return a < b;
#endif
}
