/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: incompatible type for argument 1 of 'ratio_of_bytes'|passing .*'struct sum_of_other_kind'.* to parameter of incompatible type 'struct sum_bytes' */
#ifdef DERIVED
#include "derived.def"
#ifdef FIXED
DERIVED(test_ratio, SUMS, ratio_of_bytes, ns, derived, "a formula", "a test", wchar, rchar)
#else
DERIVED(test_ratio, SUMS, ratio_of_bytes, ns, derived, "a formula", "a test", utime_clock_ticks,
        rchar)
#endif
#else
#define CTPROF_DERIVED_DEF __BASE_FILE__
#include "measure/derive.c"
#endif
