/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-share - finds out whether all threads of a process must be in the same cgroups, so that one file is enough. */
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

/* Returns whether all threads of a process that do not exit are in the same cgroups of all known hierarchies at this
 * moment. @text is the cgroup file of one of these threads. May be called by several threads at once. */
bool cgroup_share_holds(const struct cgroup_share *share, const char *text, size_t len);
