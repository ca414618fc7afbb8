/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-mount - finds the mounts of the cgroup hierarchies: the one of version 2, and those of version 1 that
 * registry/cgroup-controllers.def names. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scan.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/host.h"

enum { CGROUP_V1_CONTROLLERS_MAX = 16 }; /* one bit each */

/* The known hierarchies of version 1: first the controllers with values, in the order of registry/cgroup.def, then the
 * others of registry/cgroup-controllers.def, with named hierarchies such as "name=systemd". */
struct cgroup_v1_controllers {
	const char *names[CGROUP_V1_CONTROLLERS_MAX];
	size_t count;
	uint32_t with_values; /* bits of those that cgroup.def has rows for */
};

void cgroup_v1_controllers_init(struct cgroup_v1_controllers *controllers);

/* Returns the bits of the controllers and names in a list such as "cpu,cpuacct"; unknown ones have no bit. */
uint32_t cgroup_v1_controllers_find(const struct cgroup_v1_controllers *controllers,
                                    struct span list);

struct cgroup_mount {
	bool found;
	struct strbuf point; /* the mount point */
	/* The part of the hierarchy that is mounted, as the paths of threads name it: "/" for all of it, "/docker/x" in
	 * a container without a cgroup namespace, "/../.." for a mount from outside of our cgroup namespace. */
	struct strbuf root;
	/* Set if @root is above our cgroup namespace and that was found below @point: its name from there, without a
	 * slash in front. */
	bool namespace_known;
	struct strbuf namespace_root;
};

enum cgroup_mode {
	CGROUP_MODE_NONE,
	CGROUP_MODE_V1,
	CGROUP_MODE_HYBRID,
	CGROUP_MODE_V2,
};

/* All zero means that no search was made, and nothing is read then. */
struct cgroup_mounts {
	bool searched;
	/* These are the mounts of this system, so a path that is below none of them is out of reach. */
	bool is_system;
	bool any_v1; /* a hierarchy of version 1 is mounted, whichever controller it has */
	struct cgroup_mount unified;
	struct cgroup_mount
	        v1[CGROUP_V1_CONTROLLERS_MAX]; /* as cgroup_v1_controllers_init() has them */
};

/* Appends the place of the cgroup with the path @path, as threads have it, below the mount's point: without a slash in
 * front, "." for the mount itself. Returns false, and appends nothing, if it is not below it or its name from there is
 * not known. The result may hold "..". */
bool cgroup_mount_locate(const struct cgroup_mount *mount, const char *path, struct strbuf *out);

/* Finds the mounts in the mount namespace of @proc_fd's self that no other mount hides, by its mountinfo and, if @live,
 * by libcgroup. If a mount is from outside of our cgroup namespace, the search for our own cgroup below it begins.
 * Never fails: if neither can be read, nothing is found, and if mountinfo is there but cannot be read,
 * @ret_mounts->searched is false. @ret_mounts is zeroed or done. */
void cgroup_mounts_find(int proc_fd, bool live, struct cgroup_mounts *ret_mounts);

/* Uses a directory in place of the mounts. If it has cgroup.controllers, it is the root of the cgroup2 hierarchy. Else
 * it stands for /sys/fs/cgroup of a hybrid or version 1 host: "unified" in it is the root of the cgroup2 hierarchy, and
 * directories named by a controller ("memory") or by several ("cpu,cpuacct") are those of version 1. A directory with
 * neither has nothing mounted. If the directory cannot be read, nothing is found and @ret_mounts->searched is false.
 * @ret_mounts is zeroed or done. */
void cgroup_mounts_from_directory(const char *directory, struct cgroup_mounts *ret_mounts);

enum cgroup_mode cgroup_mounts_mode(const struct cgroup_mounts *mounts);

/* Sets the host field cgroup_mode: "v2", "hybrid", "v1" or "none"; leaves it unseen if there was no search. */
void cgroup_mounts_set_host(const struct cgroup_mounts *mounts, struct host *host);

/* For cleanup_(cgroup_mounts_done). */
void cgroup_mounts_done(struct cgroup_mounts *mounts);
