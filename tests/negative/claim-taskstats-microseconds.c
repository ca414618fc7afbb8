/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: the table of taskstats-layout.h has no value ac_utime */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_ns, running, SUM, STRUCT_U64, taskstats, "cpu_run_virtual_total",
       taskstats_delay, any, NO_GATES, "a test")
#else
METRIC(test_row, counter_ns, running, SUM, STRUCT_U64, taskstats, "ac_utime", taskstats_delay, any,
       NO_GATES, "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "taskstats/taskstats-payload.c"
#endif
