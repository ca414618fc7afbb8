/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: the table of taskstats-layout.h has no value test_key */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_count, none, SUM, STRUCT_U64, taskstats, "nvcsw", taskstats_delay, any,
       NO_GATES, "a test")
#else
METRIC(test_row, counter_count, none, SUM, STRUCT_U64, taskstats, "test_key", taskstats_delay, any,
       NO_GATES, "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "taskstats/taskstats-payload.c"
#endif
