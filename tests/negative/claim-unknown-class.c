/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'SCHED_CLASS_idle_only' undeclared|use of undeclared identifier 'SCHED_CLASS_idle_only' */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, cfs_only, NO_GATES,
       "a test")
#else
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, idle_only, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
