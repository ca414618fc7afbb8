/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-mount - where the cgroup hierarchies are mounted: the one of version 2, and those of version 1 that
 * registry/cgroup-controllers.def names. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scan.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/host.h"

enum { CGROUP_V1_CONTROLLERS_MAX = 16 }; /* one bit each */

/* The hierarchies of version 1 that are known: first the controllers with values, in the order of registry/cgroup.def, then the
 * others of registry/cgroup-controllers.def, among them named hierarchies such as "name=systemd". */
struct cgroup_v1_controllers {
	const char *names[CGROUP_V1_CONTROLLERS_MAX];
	size_t count;
	uint32_t with_values; /* bits of those that cgroup.def has rows for */
};

void cgroup_v1_controllers_init(struct cgroup_v1_controllers *controllers);

/* Returns the bits of the controllers and names in a list such as "cpu,cpuacct"; those that are not known have none. */
uint32_t cgroup_v1_controllers_find(const struct cgroup_v1_controllers *controllers,
                                    struct span list);

struct cgroup_mount {
	bool found;
	struct strbuf point; /* the directory */
	/* What of the hierarchy is there, as the paths of threads name it: "/" for all of it, "/docker/x" in a
	 * container without a cgroup namespace, "/../.." for a mount from outside of our cgroup namespace. */
	struct strbuf root;
	/* Where @root is above our cgroup namespace and that could be found below @point: its name from there, without a
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

/* All zero is "nothing was looked for", and nothing is read from it. */
struct cgroup_mounts {
	bool looked;
	/* These are the mounts of this system, so a path that is below none of them is out of reach. */
	bool is_system;
	bool any_v1; /* a hierarchy of version 1 is mounted, of a controller that is wanted or not */
	struct cgroup_mount unified;
	struct cgroup_mount
	        v1[CGROUP_V1_CONTROLLERS_MAX]; /* as cgroup_v1_controllers_init() has them */
};

/* Appends where the cgroup with the path @path, as threads have it, is below the mount's point: without a slash in
 * front, "." for the mount itself. Returns false, and appends nothing if it is not below it or its name from
 * there is not known. What is appended may hold "..". */
bool cgroup_mount_locate(const struct cgroup_mount *mount, const char *path, struct strbuf *out);

/* What is mounted in the mount namespace of @proc_fd's self and not hidden by another mount, by its mountinfo and,
 * where @live, by libcgroup. Where a mount is from outside of our cgroup namespace, we look for ourselves below it.
 * Never fails: if neither can be read, nothing is found, and where mountinfo is there but cannot be read,
 * @ret_mounts->looked is false. @ret_mounts is zeroed or done. */
void cgroup_mounts_find(int proc_fd, bool live, struct cgroup_mounts *ret_mounts);

/* Takes a directory for the mounts. With cgroup.controllers in it, it is the root of the cgroup2 hierarchy. Else it
 * is what /sys/fs/cgroup is on a hybrid or version 1 host: "unified" in it is the root of the cgroup2 hierarchy, and
 * directories named by a controller ("memory") or by several ("cpu,cpuacct") are those of version 1. A directory
 * with neither has nothing mounted. Where the directory cannot be read, nothing is found and @ret_mounts->looked is false.
 * @ret_mounts is zeroed or done. */
void cgroup_mounts_take_directory(const char *directory, struct cgroup_mounts *ret_mounts);

enum cgroup_mode cgroup_mounts_mode(const struct cgroup_mounts *mounts);

/* Sets the host field cgroup_mode: "v2", "hybrid", "v1" or "none"; not if nothing was looked for. */
void cgroup_mounts_set_host(const struct cgroup_mounts *mounts, struct host *host);

/* For cleanup_(cgroup_mounts_done). */
void cgroup_mounts_done(struct cgroup_mounts *mounts);
