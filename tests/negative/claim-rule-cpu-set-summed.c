/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: a cpu_set cannot be folded with SUM */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, cpu_set, none, AFFINITY, CPU_LIST, sched, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, cpu_set, none, SUM, CPU_LIST, sched, "test_key", primary, any, NO_GATES, "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
