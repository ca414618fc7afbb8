/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: incompatible type for argument 1 of 'average_ns'|passing .*'struct sum_of_other_kind'.* to parameter of incompatible type 'struct sum_ns' */
#ifdef DERIVED
#include "derived.def"
#ifdef FIXED
DERIVED(test_ratio, SUMS, average_ns, ns, derived, "a formula", "a test", wait_sum, wait_count)
#else
DERIVED(test_ratio, SUMS, average_ns, ns, derived, "a formula", "a test", wait_max, wait_count)
#endif
#else
#define CTPROF_DERIVED_DEF __BASE_FILE__
#include "measure/derive.c"
#endif
