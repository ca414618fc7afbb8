/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'RULE_MEDIAN' undeclared|use of undeclared identifier 'RULE_MEDIAN' */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, counter_count, none, MEDIAN, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
