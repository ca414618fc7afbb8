/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: only the parser of sched makes differences */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_ns, waiting, SUM, DOTTED_MS_DIFFERENCE, sched, "a - b", primary, any,
       NO_GATES, "a test")
#else
METRIC(test_row, counter_ns, waiting, SUM, DOTTED_MS_DIFFERENCE, status, "a - b", primary, any,
       NO_GATES, "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
