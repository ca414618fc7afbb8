/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: assigning to (type )?'struct peak_ns' from (incompatible )?type 'struct counter_ns' */
#include "ctprof/metric/sample.h"

void fill(struct thread_sample *sample)
{
#ifdef FIXED
	sample_set(sample, wait_max, (struct peak_ns){5});
#else
	sample_set(sample, wait_max, (struct counter_ns){5});
#endif
}
