/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: implicit declaration of function 'set_test_row'|undeclared function 'set_test_row' */
#ifdef METRIC
#include "metrics.def"
METRIC(test_row, label_letter, none, MODE, LETTER, stat, "3", primary, any, NO_GATES, "a test")
#elif defined(BPF_PLACE)
#include "bpf-places.def"
#ifdef FIXED
BPF_PLACE(test_row, NO_NEEDS, FIELD(state))
#else
#pragma GCC diagnostic error "-Wimplicit-function-declaration"
BPF_PLACE(test_row, NO_NEEDS, SET_BY(set_test_row))
#endif
#else
#define CTPROF_METRICS_DEF __BASE_FILE__
#define CTPROF_BPF_PLACES_DEF __BASE_FILE__
#include "bpf/task-record-sample.c"
#endif
