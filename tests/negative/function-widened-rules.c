/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'fold_peak_ns_SUM' undeclared|use of undeclared identifier 'fold_peak_ns_SUM' */
#ifdef METRIC_TYPE
/* Whatever may be folded with MAX may now be summed as well, by a careless edit of one column. */
#define RULE_MAX (RULE_MAX | RULE_SUM)
#include "metric-types.def"
#undef RULE_MAX
#elif defined(METRIC)
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, peak_ns, event, MAX, DECIMAL, sched, "test_key", primary, any, NO_GATES, "a test")
#else
METRIC(test_row, peak_ns, event, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES, "a test")
#endif
#else
#define CTPROF_METRIC_TYPES_DEF __BASE_FILE__
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
