/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: the field is no value, see the table of taskstats-layout.h */
#ifdef METRIC
#include "metrics.def"
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#elif defined(EXIT_METRIC)
#include "exits.def"
#ifdef FIXED
EXIT_METRIC(test_row, PART(nvcsw), WHOLE(RECORD))
#else
EXIT_METRIC(test_row, PART(ac_etime), WHOLE(RECORD))
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#define CTPROF_EXITS_DEF __BASE_FILE__
#include "taskstats/taskstats-payload.c"
#endif
