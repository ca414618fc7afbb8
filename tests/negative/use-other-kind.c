/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: assigning to (type )?'struct counter_ns' from (incompatible )?type 'struct peak_ns' */
#include "ctprof/metric/metric.h"

void store(struct counter_ns *total, struct peak_ns longest)
{
#ifdef FIXED
	*total = (struct counter_ns){longest.v};
#else
	*total = longest;
#endif
}
