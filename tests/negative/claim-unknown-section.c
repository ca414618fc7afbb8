/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'SECTION_secondary' undeclared|use of undeclared identifier 'SECTION_secondary' */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", taskstats_delay, any,
       NO_GATES, "a test")
#else
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", secondary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
