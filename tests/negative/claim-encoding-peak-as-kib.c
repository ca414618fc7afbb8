/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: a peak_ns cannot be read as STRUCT_KIB */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, peak_ns, event, MAX, STRUCT_U64, taskstats, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, peak_ns, event, MAX, STRUCT_KIB, sched, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
