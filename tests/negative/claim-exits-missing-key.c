/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: row_in_exits_def_for_cgroup.* undeclared|undeclared identifier 'row_in_exits_def_for_cgroup' */
#ifdef EXIT_KEY
#ifdef FIXED
#include "exits.def"
#else
EXIT_KEY(pcomm, SAME)
#endif
#else
#define CTPROF_EXITS_DEF __BASE_FILE__
#include "compare/row-ended-names.c"
#endif
