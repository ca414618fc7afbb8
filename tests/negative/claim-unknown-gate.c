/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'GATE_LATENCYTOP' undeclared|use of undeclared identifier 'GATE_LATENCYTOP' */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any,
       GATES1(SCHED_CORE), "a test")
#else
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any,
       GATES1(LATENCYTOP), "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
