/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-share - tells where all threads of a process must be in the same cgroups, so that one file tells of all. */
#include <stdbool.h>
#include <stddef.h>

#include "cgroup/cgroup-mount.h"

struct cgroup_share {
	const struct cgroup_mounts *mounts; /* borrowed */
	struct cgroup_v1_controllers controllers;
	int unified_fd; /* what is mounted, or -1 */
	int v1_fds
	        [CGROUP_V1_CONTROLLERS_MAX]; /* roots of hierarchies; -1 if it is not known to be one */
};

/* @mounts must be of the system that the threads are of, and stay. */
void cgroup_share_init(struct cgroup_share *share, const struct cgroup_mounts *mounts);
void cgroup_share_done(struct cgroup_share *share);

/* @text is the cgroup file of one of the threads, which is not on its way out. True where the kernel has all others that are
 * not, now, in the same cgroups of all hierarchies that are looked at. May be called by several threads at once. */
bool cgroup_share_holds(const struct cgroup_share *share, const char *text, size_t len);
