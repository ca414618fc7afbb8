/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* walk - goes through the threads of a /proc tree, process by process, and writes a row for each. */
#include "base/fd.h"
#include "capture/process-read.h"
#include "capture/thread-read.h"
#include "ctprof/base/macro.h"
#include "ctprof/snapshot/snapshot.h"
#include "jemalloc/jemalloc-read.h"
#include "taskstats/taskstats-read.h"

struct exiting_thread {
	uint32_t tid;
	uint64_t used[PROCESS_TOTAL_COUNT];
};

struct walk;

/* Where the rows go to, and who reads jemalloc's counters, where a walk is one of several. */
struct walk_company {
	/* Returns 0, or -errno. */
	int (*add_row)(struct walk_company *self, const struct thread_sample *sample);
	/* Reads those of walk->threads into walk->jemalloc. */
	void (*read_jemalloc)(struct walk_company *self, struct walk *walk, int process_fd,
	                      uint32_t tgid);
};

struct walk {
	int proc_fd; /* borrowed */
	struct thread_reader reader;
	struct process_reader process;
	struct taskstats_reader taskstats;
	struct jemalloc_reader jemalloc;
	struct thread_sample samples[2];
	struct thread_sample *sample; /* the one to read into */
	struct thread_sample
	        *pending; /* read and not yet written: it may be its process's last; or NULL */
	struct id_list processes;
	struct id_list threads;
	struct strbuf listing;
	struct strbuf pcomm; /* of the process being walked */
	bool has_pcomm;
	bool has_row;                   /* the process being walked has one */
	struct exiting_thread *exiting; /* threads of it that were on their way out; owned */
	size_t exiting_count;
	size_t exiting_capacity;
	struct walk_company *company;   /* borrowed; NULL: it is the only one */
	struct snapshot_writer *writer; /* borrowed, as is the tally */
	struct snapshot_tally *tally;
	const uint64_t
	        *tree_boottime_ns; /* the one time of another system's tree; NULL: our clock */
	uint64_t first_read_ns,
	        last_read_ns; /* CLOCK_MONOTONIC of the first and the last thread's reading; 0: none */
};

struct walk_options {
	int proc_fd;
	bool live; /* its ids are those of our own pid namespace */
	struct process_wishes process;
	enum jemalloc_mode jemalloc;
	struct jemalloc_files *jemalloc_files; /* borrowed; NULL: nobody is looked at */
	const struct taskstats_rules *taskstats_rules;
	struct cgroup_walk *cgroups;      /* borrowed; takes note of every thread's */
	const struct cgroup_share *share; /* borrowed; NULL: each thread's cgroup is read */
	const uint64_t *tree_boottime_ns; /* see struct walk */
};

/* Fills @ret_rules with what holds for each source of the host. */
void walk_init(struct walk *walk, const struct walk_options *options,
               enum source_outcome ret_rules[SOURCE_COUNT]);
void walk_done(struct walk *walk);

/* Lists the processes of the tree. Returns 0; or -errno with a sentence about @root appended to @reterr. */
must_check_ int walk_find(struct walk *walk, const char *root, struct strbuf *reterr);

/* Walks those processes. Returns 0; or -errno, with a sentence about @root appended to @reterr where the tree or our own
 * limits are at fault, and without one where the writer failed. */
must_check_ int walk_each(struct walk *walk, const char *root, struct strbuf *reterr);
