/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: no member named 'run_time' */
/* expect: 'METRIC_run_time' undeclared|use of undeclared identifier 'METRIC_run_time' */
#include "ctprof/metric/sample.h"

void fill(struct thread_sample *sample)
{
#ifdef FIXED
	sample_set(sample, run_time_ns, (struct counter_ns){5});
#else
	sample_set(sample, run_time, (struct counter_ns){5});
#endif
}
