/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row_sum: a dead_count cannot be folded with SUM */
/* expect: metric test_row_max: a dead_count cannot be folded with MAX */
/* expect: metric test_row_min: a dead_count cannot be folded with MIN */
/* expect: metric test_row_range: a dead_count cannot be folded with RANGE */
/* expect: metric test_row_mode: a dead_count cannot be folded with MODE */
/* expect: metric test_row_affinity: a dead_count cannot be folded with AFFINITY */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row_sum, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
METRIC(test_row_max, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
METRIC(test_row_min, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
METRIC(test_row_range, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
METRIC(test_row_mode, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
METRIC(test_row_affinity, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any,
       NO_GATES, "a test")
#else
METRIC(test_row_sum, dead_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
METRIC(test_row_max, dead_count, none, MAX, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
METRIC(test_row_min, dead_count, none, MIN, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
METRIC(test_row_range, dead_count, none, RANGE, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
METRIC(test_row_mode, dead_count, none, MODE, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
METRIC(test_row_affinity, dead_count, none, AFFINITY, DECIMAL, sched, "test_key", primary, any,
       NO_GATES, "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
