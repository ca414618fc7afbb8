/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: re(declaration of enumerator|definition of enumerator) '?METRIC_wait_max'? */
/* expect: duplicate member '?wait_max'? */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(wait_longest, peak_ns, event, MAX, DOTTED_MS, sched, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(wait_max, peak_ns, event, MAX, DOTTED_MS, sched, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
