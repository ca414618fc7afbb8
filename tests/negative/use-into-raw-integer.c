/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: assigning to (type )?'uint64_t' .* from (incompatible )?type 'struct counter_ns' */
#include "ctprof/metric/metric.h"

void store(uint64_t *total, struct counter_ns value)
{
#ifdef FIXED
	*total = value.v;
#else
	*total = value;
#endif
}
