/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'METRIC_tid' undeclared|use of undeclared identifier 'METRIC_tid' */
#include "ctprof/metric/sample.h"

bool look(const struct thread_sample *sample, uint32_t *tid)
{
#ifdef FIXED
	return (*tid = sample->tid, true);
#else
	return sample_get(sample, tid, tid);
#endif
}
