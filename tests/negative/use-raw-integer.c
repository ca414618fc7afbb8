/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: assigning to (type )?'struct counter_ns' from (incompatible )?type 'int' */
#include "ctprof/metric/metric.h"

void store(struct counter_ns *total)
{
#ifdef FIXED
	*total = (struct counter_ns){5};
#else
	*total = 5;
#endif
}
