/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: a floor_ns cannot be folded with MAX */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, floor_ns, event, MIN, DECIMAL, sched, "test_key", primary, any, NO_GATES, "a test")
#else
METRIC(test_row, floor_ns, event, MAX, DECIMAL, sched, "test_key", primary, any, NO_GATES, "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
