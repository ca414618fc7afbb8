/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* css-sets - the cgroups of threads of which the kernel said only which are in the same ones. The cgroup file of two of them
 * is read, and stands for all. */
#include "base/strmap.h"
#include "bpf/task-record.h"
#include "cgroup/cgroup-mount.h"
#include "ctprof/metric/sample.h"

struct cgroup_walk;
struct css_set;

/* The kernel's number of such a set may be that of another one a moment later, but its cgroup is not. */
struct css_key {
	uint64_t css_set;
	uint64_t cgroup_id;
	uint64_t is_exiting;
};

struct css_sets {
	const struct task_record_pass *pass; /* borrowed */
	struct strmap places;                /* by the kernel's numbers, the places in sets */
	uint32_t *
	        before; /* of each thread in the order of the pass, the one before it in the same set; owned */
	/* What was found last in places. */
	struct css_key found_key;
	uint32_t found;
	bool has_found;
	struct css_set *sets; /* owned */
	size_t count;
	size_t capacity;
	const struct cgroup_mounts *mounts; /* borrowed */
	int proc_fd;                        /* borrowed */
	struct cgroup_walk *cgroups;        /* takes note of every cgroup; may be NULL */
	struct strbuf text, other;          /* files being compared */
};

/* Reads the cgroups of all threads of a pass, which stays where it is until the sets are done. */
void css_sets_init(struct css_sets *sets, int proc_fd, const struct cgroup_mounts *mounts,
                   struct cgroup_walk *cgroups, const struct task_record_pass *pass);
void css_sets_done(struct css_sets *sets);

/* Fills the cgroup of a thread and its source's outcome. */
void css_sets_take(struct css_sets *sets, const struct task_record *values,
                   struct thread_sample *sample);
