/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-walk - collects the cgroups of threads, and reads each of them once. */
#include <stddef.h>

#include "base/strmap.h"
#include "cgroup/cgroup-mount.h"
#include "ctprof/base/macro.h"
#include "ctprof/snapshot/snapshot.h"

/* In the value of a path: the cgroup has threads. Else it is only an ancestor of one that has. */
enum { CGROUP_HAS_THREADS = 1 << 30 };

/* The levels below the root of which cgroups without threads are read. */
enum { CGROUP_DEPTH_MAX = 128 };

struct cgroup_walk {
	struct cgroup_v1_controllers controllers;
	struct strmap v2;   /* paths; the value has the outcome of reading it */
	struct strmap v1;   /* the same, with the controllers' bits */
	struct strbuf last; /* the text noted last */
	/* The time of the copy of another system's tree, 0 if it is not known; NULL: our clock is right. Borrowed. */
	const uint64_t *tree_boottime_ns;
};

void cgroup_walk_init(struct cgroup_walk *walk);
/* For cleanup_(cgroup_walk_done). */
void cgroup_walk_done(struct cgroup_walk *walk);

/* Notes the cgroups in the text of a thread's cgroup file. Cheap if the text is that of the call before. */
void cgroup_walk_note(struct cgroup_walk *walk, const char *text, size_t len);

/* Notes what @other has noted. */
void cgroup_walk_merge(struct cgroup_walk *walk, const struct cgroup_walk *other);

/* Notes what @before has read, without threads: a cgroup that its threads have left in between still has their work. */
void cgroup_walk_follow(struct cgroup_walk *walk, const struct cgroup_walk *before);

/* Receives the cgroups that were read. Returns 0 or -errno. The stats are the caller's and are reused. */
struct cgroup_sink {
	int (*add)(struct cgroup_sink *self, const struct cgroup_stats *stats);
};

/* Reads every noted cgroup, and its ancestors of up to CGROUP_DEPTH_MAX levels, that were not read before, version 2 before version 1, each by its path,
 * and passes those that could be read to @sink, with the time of their reading. @tally becomes that of all that were
 * noted so far. A hierarchy without a mount in @mounts is skipped, unless they are the system's: then its cgroups are
 * outside. Returns 0; the sink's -errno; or -EMFILE, -ENFILE or -ENOMEM if ctprof has run out of descriptors or
 * memory. */
must_check_ int cgroup_walk_read(struct cgroup_walk *walk, const struct cgroup_mounts *mounts,
                                 struct cgroup_sink *sink, struct snapshot_tally *tally);
