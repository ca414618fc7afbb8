/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-namespace - finds the beginning of our cgroup namespace below mounts that were made outside of it. */
#include "cgroup/cgroup-mount.h"

/* Sets namespace_known and namespace_root of the mounts whose root is "/..", "/../.." and so on, if our own cgroup,
 * which @proc_fd's self/cgroup names, is found below them within the limit of the search. */
void cgroup_mounts_find_namespace(int proc_fd, struct cgroup_mounts *mounts);
