/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: no member named 'nice_value' */
/* expect: 'METRIC_nice_value' undeclared|use of undeclared identifier 'METRIC_nice_value' */
#include "ctprof/metric/sample.h"

bool look(const struct thread_sample *sample, struct ordinal_i32 *nice)
{
#ifdef FIXED
	return sample_get(sample, nice, nice);
#else
	return sample_get(sample, nice_value, nice);
#endif
}
