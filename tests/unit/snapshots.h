/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshots - whole snapshots in memory, to be compared with what was written. */
#include "ctprof/snapshot/snapshot.h"
#include "random.h"

struct snapshot_copy {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct snapshot_info info;
	struct thread_sample *samples; /* owned */
	size_t count, capacity;
	struct cgroup_stats *cgroups; /* owned */
	size_t cgroup_count, cgroup_capacity;
	int result;
	struct strbuf error;
};

/* Reads the bytes of a file. @copy is written over; snapshot_copy_done() it in any case. */
void snapshot_copy_read(struct snapshot_copy *copy, const char *bytes, size_t len,
                        const struct snapshot_limits *limits);
/* The same for the JSON text inside of one. */
void snapshot_copy_read_json(struct snapshot_copy *copy, const char *json, size_t len,
                             const struct snapshot_limits *limits);
/* Takes the rows from a writer that has no file; the info stays empty. */
void snapshot_copy_visit(struct snapshot_copy *copy, const struct snapshot_info *info,
                         const struct thread_sample *samples, size_t count);
void snapshot_copy_done(struct snapshot_copy *copy);

/* The thread with this id, or NULL. */
const struct thread_sample *snapshot_copy_find(const struct snapshot_copy *copy, uint32_t tid);

/* Takes over nothing: the names are copied. */
void sample_copy(struct thread_sample *to, const struct thread_sample *from);

/* Returns whether a sample that was written into a snapshot with these rules and read back is the same one: names,
 * values and reasons. The outcome of a rule is not written. */
bool sample_survives(const struct thread_sample *written, const struct thread_sample *read,
                     const enum source_outcome *rules);

/* Returns whether two heads and tails are the same. */
bool same_info(const struct snapshot_info *a, const struct snapshot_info *b);

/* Returns whether two snapshots are the same, thread by thread and cgroup by cgroup. */
bool snapshot_copies_equal(const struct snapshot_copy *a, const struct snapshot_copy *b);

/* Writes the file. */
void snapshot_pack(const struct snapshot_info *info, const struct thread_sample *samples,
                   size_t count, struct strbuf *out);
void snapshot_pack_all(const struct snapshot_info *info, const struct thread_sample *samples,
                       size_t count, const struct cgroup_stats *cgroups, size_t cgroup_count,
                       struct strbuf *out);

/* Bytes of any kind: readable ones, ones that JSON escapes, ones that are no UTF-8, zeros. */
void random_name(struct random *random, struct strbuf *name);

/* Anything that a sample can hold. */
void random_thread(struct random *random, struct thread_sample *sample);
void random_info(struct random *random, struct snapshot_info *info);
