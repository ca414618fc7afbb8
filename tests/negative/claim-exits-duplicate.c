/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: redeclaration of enumerator 'row_in_exits_def_for_wait_sum'|redefinition of enumerator 'row_in_exits_def_for_wait_sum' */
#ifdef EXIT_METRIC
#include "exits.def"
#ifndef FIXED
EXIT_METRIC(wait_sum, PART(nvcsw), WHOLE(RECORD))
#endif
#else
#define CTPROF_EXITS_DEF __BASE_FILE__
#include "window/exit-parts.c"
#endif
