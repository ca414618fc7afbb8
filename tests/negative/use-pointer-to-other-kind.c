/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'struct counter_bytes \*' from a function with (incompatible return|result) type 'struct counter_ns \*' */
#include "ctprof/metric/metric.h"

struct counter_ns *point(struct counter_bytes *bytes, struct counter_ns *total)
{
	(void)bytes, (void)total;
#ifdef FIXED
	return total;
#else
	return bytes;
#endif
}
