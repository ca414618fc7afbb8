/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: row_in_exits_def_for_test_row.* undeclared|undeclared identifier 'row_in_exits_def_for_test_row' */
#ifdef METRIC
#include "metrics.def"
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#elif defined(EXIT_METRIC)
#include "exits.def"
#ifdef FIXED
EXIT_METRIC(test_row, NOTHING, NOTHING)
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#define CTPROF_EXITS_DEF __BASE_FILE__
#include "window/exit-parts.c"
#endif
