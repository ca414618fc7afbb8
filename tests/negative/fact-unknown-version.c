/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: cgroup value test_value: there is no such version of cgroups */
#ifdef CGROUP_VALUE
#include "cgroup.def"
#ifdef FIXED
CGROUP_VALUE(test_value, 1, "cpu", "test", "cpu.test", "test", NUMBER, SUM, END, count,
             cgroup_stats, "", "a test")
#else
CGROUP_VALUE(test_value, 3, "cpu", "test", "cpu.test", "test", NUMBER, SUM, END, count,
             cgroup_stats, "", "a test")
#endif
#else
#define CTPROF_CGROUP_DEF __BASE_FILE__
#include "metric/cgroup-table.c"
#endif
