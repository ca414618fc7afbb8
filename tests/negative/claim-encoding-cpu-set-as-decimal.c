/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: a cpu_set cannot be read as DECIMAL */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, cpu_set, none, AFFINITY, CPU_MASK, affinity, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, cpu_set, none, AFFINITY, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
