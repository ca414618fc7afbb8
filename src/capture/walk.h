/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* walk - goes through the threads of a /proc tree, process by process, and writes a row for each. */
#include "base/fd.h"
#include "capture/process-read.h"
#include "capture/thread-read.h"
#include "css-sets.h"
#include "ctprof/base/macro.h"
#include "ctprof/snapshot/snapshot.h"
#include "jemalloc/jemalloc-read.h"
#include "taskstats/taskstats-read.h"

struct exiting_thread {
	uint32_t tid;
	uint64_t used[PROCESS_TOTAL_COUNT];
};

struct walk;

/* Receives the rows of a walk, and reads jemalloc's counters for it. */
struct walk_sink {
	/* Returns 0, or -errno. */
	int (*add_row)(struct walk_sink *self, const struct thread_sample *sample);
	/* Reads those of walk->threads into walk->jemalloc. @known may be NULL. */
	void (*read_jemalloc)(struct walk_sink *self, struct walk *walk, int process_fd,
	                      const struct known_pointers *known);
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
	struct strbuf pcomm;     /* of the process being walked */
	_Atomic uint32_t tgid;   /* of the process being walked */
	uint64_t counted_before; /* walk_counted() when it was begun */
	bool has_pcomm;
	bool has_row;                   /* the process being walked has one */
	struct exiting_thread *exiting; /* threads of it that were on their way out; owned */
	size_t exiting_count;
	size_t exiting_capacity;
	struct css_reader css;           /* of a walk over a pass of BPF */
	struct thread_pointer *pointers; /* of the current process, from the pass; owned */
	size_t pointer_capacity;
	struct walk_sink *sink;       /* borrowed, as is the tally */
	struct snapshot_tally *tally; /* the caller sets both */
	const uint64_t
	        *tree_boottime_ns; /* the one time of another system's tree; NULL: our clock */
	struct host_bounds bounds;
	uint64_t born_before_clock_ticks; /* processes born then or later are left out; 0: none */
	uint64_t first_read_ns,
	        last_read_ns; /* CLOCK_MONOTONIC of the first and the last thread's reading, of CLOCK_BOOTTIME with a pass; 0: none */
};

struct walk_options {
	int proc_fd;
	bool live; /* its ids are those of our own pid namespace */
	struct process_wishes process;
	enum jemalloc_mode jemalloc;
	struct jemalloc_files
	        *jemalloc_files; /* borrowed; NULL: no process is examined for jemalloc */
	const struct taskstats_rules *taskstats_rules;
	struct cgroup_walk *cgroups;      /* borrowed; gets the cgroup of every thread */
	const struct cgroup_share *share; /* borrowed; NULL: each thread's cgroup is read */
	const uint64_t *tree_boottime_ns; /* see struct walk */
	struct host_bounds bounds;        /* of the host whose tree it is */
	uint64_t born_before_clock_ticks; /* see struct walk */
};

/* Fills @ret_rules with the rules of the host's sources. */
void walk_init(struct walk *walk, const struct walk_options *options,
               enum source_outcome ret_rules[SOURCE_COUNT]);
void walk_done(struct walk *walk);

/* Lists the processes of the tree in walk->processes. Returns 0; or -errno with a sentence about @root appended to @reterr. */
must_check_ int walk_find(struct walk *walk, const char *root, struct strbuf *reterr);

/* Called before a process is read, with the parts of it to leave out. */
void walk_begin_process(struct walk *walk, uint32_t tgid, enum stall_avoids avoids);
/* Returns how many threads the tally has, of all processes. */
uint64_t walk_counted(const struct walk *walk);
/* Reads jemalloc's counters of walk->threads, unless that would stall. @known may be NULL. */
void walk_read_jemalloc(struct walk *walk, int process_fd, const struct known_pointers *known);

/* Reads a process from its files and passes its rows to the sink. Returns 0; the sink's -errno; or -errno if ctprof has
 * run out of descriptors or memory. */
must_check_ int walk_read_process(struct walk *walk);

/* Adds the data of its process to walk->sample, and keeps it as walk->pending until the next row comes. The leader is
 * read first and names the process; if it has exited, /proc/PID/comm does. Returns 0, or the sink's -errno. */
must_check_ int walk_add_row(struct walk *walk, int process_fd);
/* Passes the pending row to the sink. Returns 0, or the sink's -errno. */
must_check_ int walk_write_pending(struct walk *walk);

/* Adds the totals of its process that were read last to the row. */
void walk_add_totals(struct walk *walk, struct thread_sample *sample);
