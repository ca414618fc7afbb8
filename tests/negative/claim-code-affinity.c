/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: affinity_read\(\) does not set it */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, cpu_set, none, AFFINITY, CPU_LIST, status, "Cpus_allowed_list", primary, any,
       NO_GATES, "a test")
#else
METRIC(test_row, cpu_set, none, AFFINITY, CPU_MASK, affinity, "", primary, any, NO_GATES, "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "procfs/affinity.c"
#endif
