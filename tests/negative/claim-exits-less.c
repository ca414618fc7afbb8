/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: a completed record has at least what the record has */
#ifdef METRIC
#include "metrics.def"
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#elif defined(EXIT_METRIC)
#include "exits.def"
#ifdef FIXED
EXIT_METRIC(test_row, PART(nvcsw), WHOLE(RECORD))
#else
EXIT_METRIC(test_row, PART(nvcsw), NOTHING)
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#define CTPROF_EXITS_DEF __BASE_FILE__
#include "window/exit-parts.c"
#endif
