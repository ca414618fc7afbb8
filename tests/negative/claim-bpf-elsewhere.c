/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: metric test_row: metrics of synthetic and jemalloc are ELSEWHERE in bpf-places.def, and those of other sources are not */
#ifdef METRIC
#include "metrics.def"
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#elif defined(BPF_PLACE)
#include "bpf-places.def"
#ifdef FIXED
BPF_PLACE(test_row, NO_NEEDS, NOT_BY_BPF)
#else
BPF_PLACE(test_row, NO_NEEDS, ELSEWHERE)
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#define CTPROF_BPF_PLACES_DEF __BASE_FILE__
#include "bpf/task-record-sample.c"
#endif
