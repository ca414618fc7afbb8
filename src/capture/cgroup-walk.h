/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-walk - collects the cgroups that threads are in, and reads each of them once. */
#include <stddef.h>

#include "base/strmap.h"
#include "cgroup/cgroup-mount.h"
#include "ctprof/base/macro.h"
#include "ctprof/snapshot/snapshot.h"

/* In the value of a path: a thread is in that cgroup. Else it is only above such a one. */
enum { CGROUP_HAS_THREADS = 1 << 30 };

struct cgroup_walk {
	struct cgroup_v1_controllers controllers;
	struct strmap v2;   /* paths; the value holds what became of reading it */
	struct strmap v1;   /* the same, with the controllers' bits */
	struct strbuf last; /* the text noted last */
	/* When another system's tree was copied, 0 where that is not known; NULL: our clock tells. Borrowed. */
	const uint64_t *tree_boottime_ns;
};

void cgroup_walk_init(struct cgroup_walk *walk);
/* For cleanup_(cgroup_walk_done). */
void cgroup_walk_done(struct cgroup_walk *walk);

/* Notes the cgroups in the text of a thread's cgroup file. Cheap where the text is that of the call before. */
void cgroup_walk_note(struct cgroup_walk *walk, const char *text, size_t len);

/* Notes what @other has noted. */
void cgroup_walk_merge(struct cgroup_walk *walk, const struct cgroup_walk *other);

/* Where cgroups go that were read; returns 0 or -errno. The stats are the caller's and are reused. */
struct cgroup_sink {
	int (*add)(struct cgroup_sink *self, const struct cgroup_stats *stats);
};

/* Reads every cgroup that was noted, and those above, that were not read before, version 2 before version 1, each by its path, and gives those that
 * could be read to @sink, with the time of their reading. @tally becomes that of all that were noted so far. A hierarchy
 * without a mount in @mounts is passed over, unless they are the system's: then its cgroups are outside. Returns 0; the
 * sink's -errno; or -EMFILE, -ENFILE or -ENOMEM where we have run out of what it takes. */
must_check_ int cgroup_walk_read(struct cgroup_walk *walk, const struct cgroup_mounts *mounts,
                                 struct cgroup_sink *sink, struct snapshot_tally *tally);
