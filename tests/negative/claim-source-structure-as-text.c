/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: taskstats is a structure and has nothing in DECIMAL */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_count, none, SUM, STRUCT_U64, taskstats, "cpu_count", taskstats_delay, any,
       NO_GATES, "a test")
#else
METRIC(test_row, counter_count, none, SUM, DECIMAL, taskstats, "cpu_count", taskstats_delay, any,
       NO_GATES, "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
