/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: a counter_bytes cannot be folded with RANGE */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_bytes, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, counter_bytes, none, RANGE, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
