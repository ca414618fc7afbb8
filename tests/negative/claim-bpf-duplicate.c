/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: redeclaration of enumerator 'bpf_place_of_minflt'|redefinition of enumerator 'bpf_place_of_minflt' */
#ifdef BPF_PLACE
#include "bpf-places.def"
#ifndef FIXED
BPF_PLACE(minflt, NO_NEEDS, FIELD(majflt))
#endif
#else
#define CTPROF_BPF_PLACES_DEF __BASE_FILE__
#include "bpf/task-record-sample.c"
#endif
