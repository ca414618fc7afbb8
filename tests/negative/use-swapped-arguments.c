/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: incompatible type for argument 1 of 'average_ns'|passing .*'struct sum_count'.* to parameter of incompatible type 'struct sum_ns' */
#include "measure/derive.c"

struct quantity average(struct sum_ns total, struct sum_count count)
{
#ifdef FIXED
	return average_ns(total, count);
#else
	return average_ns(count, total);
#endif
}
