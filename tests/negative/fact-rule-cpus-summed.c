/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: cgroup value test_value: a CPUS cannot be put together by SUM */
#ifdef CGROUP_VALUE
#include "cgroup.def"
#ifdef FIXED
CGROUP_VALUE(test_value, 2, "cpu", "test", "cpu.test", "test", CPUS, SAME, END, none, cgroup_stats,
             "", "a test")
#else
CGROUP_VALUE(test_value, 2, "cpu", "test", "cpu.test", "test", CPUS, SUM, END, none, cgroup_stats,
             "", "a test")
#endif
#else
#define CTPROF_CGROUP_DEF __BASE_FILE__
#include "metric/cgroup-table.c"
#endif
