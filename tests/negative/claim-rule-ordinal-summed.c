/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: a ordinal_i32 cannot be folded with SUM */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, ordinal_i32, none, RANGE, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, ordinal_i32, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
