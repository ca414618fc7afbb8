/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'SOURCE_no_source' undeclared|use of undeclared identifier 'SOURCE_no_source' */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_count, none, SUM, DECIMAL, status, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, counter_count, none, SUM, DECIMAL, no_source, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
