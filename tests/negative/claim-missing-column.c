/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: requires 11 arguments, but only 10 given|too few arguments provided to function-like macro invocation */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES)
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
