/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: field .*has incomplete type */
/* expect: 'counter_seconds_rules' undeclared|use of undeclared identifier 'counter_seconds_rules' */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_ns, waiting, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, counter_seconds, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
