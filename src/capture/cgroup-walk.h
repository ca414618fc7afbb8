/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-walk - collects the cgroups that threads are in, and reads each of them once. */
#include <stddef.h>

#include "ctprof/cgroup-mount.h"
#include "ctprof/macro.h"
#include "ctprof/snapshot.h"
#include "ctprof/strmap.h"

struct cgroup_walk {
	struct cgroup_v1_controllers controllers;
	struct strmap v2;   /* paths */
	struct strmap v1;   /* paths; the value holds the controllers' bits */
	struct strbuf last; /* the text noted last */
};

void cgroup_walk_init(struct cgroup_walk *walk);
/* For cleanup_(cgroup_walk_done). */
void cgroup_walk_done(struct cgroup_walk *walk);

/* Notes the cgroups in the text of a thread's cgroup file. Cheap where the text is that of the call before. */
void cgroup_walk_note(struct cgroup_walk *walk, const char *text, size_t len);

/* Notes what @other has noted. */
void cgroup_walk_merge(struct cgroup_walk *walk, const struct cgroup_walk *other);

/* Opens the cgroup with this path below the mount, whose point is @mount_fd. Returns a descriptor or -errno; -EXDEV where the
 * path is outside of the mount. */
must_check_ int cgroup_walk_open(int mount_fd, const struct cgroup_mount *mount,
                                 const struct strbuf *path);

/* Reads every cgroup that was noted, version 2 before version 1, each by its path, and writes those that could be
 * read. What could not be is in @tally. A hierarchy without a mount in @mounts is passed over, unless they are the
 * system's: then its cgroups are outside. Returns 0; the writer's -errno; or -EMFILE, -ENFILE or -ENOMEM where we
 * have run out of what it takes. */
must_check_ int cgroup_walk_read(const struct cgroup_walk *walk, const struct cgroup_mounts *mounts,
                                 struct snapshot_writer *writer, struct snapshot_tally *tally);
