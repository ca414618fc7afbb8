/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'METRIC_wait_total' undeclared|use of undeclared identifier 'METRIC_wait_total' */
#ifdef DERIVED
#include "derived.def"
#ifdef FIXED
DERIVED(test_ratio, SUMS, average_ns, ns, derived, "a formula", "a test", wait_sum, wait_count)
#else
DERIVED(test_ratio, SUMS, average_ns, ns, derived, "a formula", "a test", wait_total, wait_count)
#endif
#else
#define CTPROF_DERIVED_DEF __BASE_FILE__
#include "measure/derive.c"
#endif
