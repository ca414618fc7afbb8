/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* css-sets - finds the cgroups of threads. The kernel's records only show which threads are in the same ones, so the
 * cgroup file of two of them is read for all. */
#include "base/strmap.h"
#include "bpf/task-record.h"
#include "cgroup/cgroup-mount.h"
#include "ctprof/metric/sample.h"

struct cgroup_walk;
struct css_set;

/* The kernel may use the number of such a set for another one a moment later, but not with the same cgroup. */
struct css_key {
	uint64_t css_set;
	uint64_t cgroup_id;
	uint64_t is_exiting;
};

/* One for each thread of ours that calls css_sets_fill(). Zeroed it is ready; its owner frees the text. */
struct css_reader {
	/* The result of the last search in places. */
	struct css_key key;
	uint32_t found;
	bool has_found;
	struct strbuf text;          /* of the file of a single thread */
	struct cgroup_walk *cgroups; /* borrowed, gets every cgroup; may be NULL */
};

struct css_sets {
	const struct task_record_pass *pass; /* borrowed */
	struct strmap places;                /* by the kernel's numbers, the places in sets */
	uint32_t *
	        before; /* of each thread in the order of the pass, the one before it in the same set; owned */
	struct css_set *sets; /* owned */
	size_t count;
	size_t capacity;
	const struct cgroup_mounts *mounts; /* borrowed */
	int proc_fd;                        /* borrowed */
};

/* Reads the cgroups of all threads of a pass, which must not move until the sets are done. */
void css_sets_init(struct css_sets *sets, int proc_fd, const struct cgroup_mounts *mounts,
                   struct cgroup_walk *cgroups, const struct task_record_pass *pass);
void css_sets_done(struct css_sets *sets);

/* Fills the cgroup of a thread and its source's outcome. Several threads of ours may call it at once. */
void css_sets_fill(const struct css_sets *sets, struct css_reader *reader,
                   const struct task_record *values, struct thread_sample *sample);
