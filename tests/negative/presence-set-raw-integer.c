/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: assigning to (type )?'struct counter_ns' from (incompatible )?type 'int' */
#include "ctprof/metric/sample.h"

void fill(struct thread_sample *sample)
{
#ifdef FIXED
	sample_set(sample, run_time_ns, (struct counter_ns){5});
#else
	sample_set(sample, run_time_ns, 5);
#endif
}
