/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: nothing makes it */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_count, none, SUM, DECIMAL, io, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, counter_count, none, SUM, ONE, synthetic, "", primary, any, NO_GATES, "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "group/group.c"
#endif
