/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: 'ONLY_ADDS_difference_of_bytes' undeclared|use of undeclared identifier 'ONLY_ADDS_difference_of_bytes' */
#ifdef DERIVED
#include "derived.def"
#ifdef FIXED
DERIVED(test_difference, ADDS, difference_of_bytes, bytes, derived, "a formula", "a test", rchar,
        wchar)
#else
DERIVED(test_difference, PARTS, difference_of_bytes, bytes, derived, "a formula", "a test", rchar,
        wchar)
#endif
#else
#define CTPROF_DERIVED_DEF __BASE_FILE__
#include "measure/derive.c"
#endif
