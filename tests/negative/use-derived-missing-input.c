/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: too few arguments to function */
#ifdef DERIVED
#include "derived.def"
#ifdef FIXED
DERIVED(test_ratio, SUMS, share_of_time, ns, derived, "a formula", "a test", cpu_delay_total_ns,
        blkio_delay_total_ns)
#else
DERIVED(test_ratio, SUMS, total_delay, ns, derived, "a formula", "a test", cpu_delay_total_ns,
        blkio_delay_total_ns)
#endif
#else
#define CTPROF_DERIVED_DEF __BASE_FILE__
#include "measure/derive.c"
#endif
