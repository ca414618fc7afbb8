/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* values-walk - writes a row for each thread of the host out of one pass of BPF over all of them. Files are read for processes
 * only: where their memory is, what they run, whether they have jemalloc. */
#include "bpf/thread-pointer.h"
#include "bpf/thread-values.h"
#include "css-sets.h"
#include "walk.h"

struct values_walk {
	struct thread_values_reader *reader; /* borrowed; NULL: not in use */
	const struct cgroup_mounts *mounts;  /* borrowed */
	struct thread_values_pass pass;
	struct thread_values_rules rules;
	struct css_sets sets;
	struct thread_pointer *pointers; /* of the process being walked; owned */
	size_t pointer_capacity;
};

void values_walk_done(struct values_walk *values);

/* Reads all threads, and writes to @ret_rules what holds for the sources of the host then. Returns 0 or -errno. */
must_check_ int values_walk_read(struct values_walk *values, int proc_fd,
                                 const struct taskstats_rules *taskstats,
                                 enum source_outcome ret_rules[SOURCE_COUNT]);

/* Finds the cgroups of the threads that were read, and notes them in @cgroups; to be called before the rows are written. */
void values_walk_find_cgroups(struct values_walk *values, int proc_fd, struct cgroup_walk *cgroups);

/* Writes the rows. Result as that of walk_each(). */
must_check_ int values_walk_all(struct values_walk *values, struct walk *walk, const char *root,
                                struct strbuf *reterr);
