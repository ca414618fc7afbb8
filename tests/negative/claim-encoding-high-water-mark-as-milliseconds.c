/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: a peak_bytes cannot be read as DOTTED_MS */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, peak_bytes, none, MAX, STRUCT_KIB, taskstats, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, peak_bytes, none, MAX, DOTTED_MS, sched, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
