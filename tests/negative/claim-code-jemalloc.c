/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: jemalloc_take_thread\(\) does not set it */
#ifdef METRIC
#include "metrics.def"
#ifdef FIXED
METRIC(test_row, counter_bytes, none, SUM, DECIMAL, io, "test_key", primary, any, NO_GATES,
       "a test")
#else
METRIC(test_row, counter_bytes, none, SUM, STRUCT_U64, jemalloc, "", primary, any, NO_GATES,
       "a test")
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#include "jemalloc/jemalloc-read.c"
#endif
