/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'const struct task_record' has no member named 'test_field'|no member named 'test_field' in 'struct task_record' */
#ifdef METRIC
#include "metrics.def"
METRIC(test_row, counter_count, none, SUM, DECIMAL, sched, "test_key", primary, any, NO_GATES,
       "a test")
#elif defined(BPF_PLACE)
#include "bpf-places.def"
#ifdef FIXED
BPF_PLACE(test_row, NO_NEEDS, NUMBER(values->voluntary_csw + values->nonvoluntary_csw))
#else
BPF_PLACE(test_row, NO_NEEDS, FIELD(test_field))
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#define CTPROF_BPF_PLACES_DEF __BASE_FILE__
#include "bpf/task-record-sample.c"
#endif
