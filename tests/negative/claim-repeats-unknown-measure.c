/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'MEASURE_majfault' undeclared|use of undeclared identifier 'MEASURE_majfault' */
#ifdef REPEATS
#include "repeats.def"
#ifdef FIXED
REPEATS(majflt, OF1(minflt), "a test")
#else
REPEATS(majfault, OF1(minflt), "a test")
#endif
#else
#define CTPROF_REPEATS_DEF __BASE_FILE__
#include "measure/repeats.c"
#endif
