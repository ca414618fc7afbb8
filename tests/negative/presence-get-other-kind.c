/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: assigning to (type )?'struct counter_ns' from (incompatible )?type '(const )?struct peak_ns' */
#include "ctprof/metric/sample.h"

bool look(const struct thread_sample *sample, struct counter_ns *total)
{
#ifdef FIXED
	return sample_get(sample, wait_sum, total);
#else
	return sample_get(sample, wait_max, total);
#endif
}
