/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* bpf-walk - writes a row for each thread of the host from one pass of BPF over all of them. Files are read for
 * processes only: for their memory, their executable, and jemalloc. */
#include "bpf/task-record.h"
#include "bpf/thread-pointer.h"
#include "css-sets.h"
#include "walk-team.h"

struct bpf_unit;

struct bpf_walk {
	struct walk_work work;              /* must stay the first member */
	struct task_record_reader *reader;  /* borrowed; NULL: not in use */
	const struct cgroup_mounts *mounts; /* borrowed */
	struct task_record_pass pass;
	struct task_record_rules rules;
	struct css_sets sets;
	const uint32_t *listed;      /* borrowed: the processes of /proc */
	struct process_cache *known; /* borrowed; NULL: the files of all processes are read */
	struct bpf_unit *units;
	size_t unit_capacity;
};

void bpf_walk_done(struct bpf_walk *bpf);

/* Reads all threads, and writes the rules of the host's sources at that moment to @ret_rules. Returns 0 or -errno. */
must_check_ int bpf_walk_read(struct bpf_walk *bpf, int proc_fd,
                              const struct taskstats_rules *taskstats,
                              enum source_outcome ret_rules[SOURCE_COUNT]);

/* Returns when the pass began. A process that was born before is in it, unless the host hides it from BPF. */
uint64_t bpf_walk_begin_clock_ticks(const struct bpf_walk *bpf);

/* Finds the cgroups of the threads that were read, and notes them in @cgroups; called before the rows are written. */
void bpf_walk_find_cgroups(struct bpf_walk *bpf, int proc_fd, struct cgroup_walk *cgroups);

/* Makes bpf->work: all processes of the pass, and those of @processes that it lacks, in the order of process ids. The list
 * is borrowed. */
void bpf_walk_list(struct bpf_walk *bpf, const struct id_list *processes);
