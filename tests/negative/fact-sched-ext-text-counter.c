/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: sched_ext value test_value: a TEXT cannot be a COUNTER */
#ifdef SCHED_EXT
#include "sched-ext.def"
#ifdef FIXED
SCHED_EXT(test_value, TEXT, LEVEL, "a test")
#else
SCHED_EXT(test_value, TEXT, COUNTER, "a test")
#endif
#else
#define CTPROF_SCHED_EXT_DEF __BASE_FILE__
#include "metric/cgroup-table.c"
#endif
