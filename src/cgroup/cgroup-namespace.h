/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-namespace - where our cgroup namespace begins, below mounts that were made outside of it. */
#include "cgroup/cgroup-mount.h"

/* Sets namespace_known and namespace_root of the mounts whose root is "/..", "/../.." and so on, where our own
 * cgroup, which @proc_fd's self/cgroup names, is found below them before the search becomes too long. */
void cgroup_mounts_find_namespace(int proc_fd, struct cgroup_mounts *mounts);
