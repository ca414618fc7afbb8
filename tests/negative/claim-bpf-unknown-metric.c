/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'METRIC_minflts' undeclared|use of undeclared identifier 'METRIC_minflts' */
#ifdef BPF_PLACE
#include "bpf-places.def"
#ifndef FIXED
BPF_PLACE(minflts, NO_NEEDS, FIELD(minflt))
#endif
#else
#define CTPROF_BPF_PLACES_DEF __BASE_FILE__
#include "bpf/task-record-sample.c"
#endif
