/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: a label_flag cannot be read as LETTER */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, label_flag, none, MODE, FLAG, sched, "test_key", primary, any, NO_GATES, "a test")
#else
METRIC(test_row, label_flag, none, MODE, LETTER, sched, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
