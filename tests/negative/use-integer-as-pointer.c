/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: makes pointer from integer without a cast|incompatible integer to pointer conversion */
#include "ctprof/metric/metric.h"

const struct counter_ns *point(uint64_t value, const struct counter_ns *total)
{
	(void)value, (void)total;
#ifdef FIXED
	return total;
#else
	return value;
#endif
}
