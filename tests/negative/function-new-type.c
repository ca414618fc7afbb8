/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'fold_gauge_bytes_MAX' undeclared|use of undeclared identifier 'fold_gauge_bytes_MAX' */
#ifdef METRIC_TYPE
#include "metric-types.def"
METRIC_TYPE(gauge_bytes, U64, bytes, RULE_MAX, BOUND_none, ENCODING_DECIMAL,
            "bytes as they stand now")
#elif defined(METRIC)
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, gauge_count, none, MAX, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, gauge_bytes, none, MAX, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRIC_TYPES_DEF __BASE_FILE__
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "metric/metric-table.c"
#endif
