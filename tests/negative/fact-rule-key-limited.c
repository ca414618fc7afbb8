/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expect: cgroup key test: cannot be put together by MAX_LIMIT */
#ifdef CGROUP_KEY
#include "cgroup-lists.def"
#ifdef FIXED
CGROUP_KEY(memory_stat, "test", MAX, bytes)
#else
CGROUP_KEY(memory_stat, "test", MAX_LIMIT, bytes)
#endif
#else
#define CTPROF_CGROUP_LISTS_DEF __BASE_FILE__
#include "metric/cgroup-table.c"
#endif
