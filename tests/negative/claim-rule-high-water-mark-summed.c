/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: a peak_bytes cannot be folded with SUM */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, peak_bytes, none, MAX, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, peak_bytes, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
