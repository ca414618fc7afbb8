/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* thread-read - reads all sources of one thread into a sample. */
#include <stdbool.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"
#include "procfs/procfs.h"
#include "taskstats/taskstats-read.h"

struct cgroup_walk;
struct cgroup_share;

/* The state that is reused from thread to thread. */
struct thread_reader {
	struct source_keys stat, schedstat, sched, status, io;
	struct strbuf text; /* the file being parsed */
	int fatal;          /* -errno if ctprof has run out of descriptors or memory */
	bool exiting;       /* the last thread was exiting, and not dead yet */
	bool avoids_io;     /* reading it would stall; the owner sets it for each process */
	bool live;          /* the threads are this system's own, in our pid namespace */
	struct cgroup_walk *cgroups;      /* borrowed, gets the threads' cgroups; may be NULL */
	const struct cgroup_share *share; /* borrowed; NULL: each thread's file is read */
	/* Used by thread_read_listed(): the cgroup that all threads of the process are in. */
	struct strbuf cgroup, cgroups_v1;
	bool has_cgroup, cgroup_is_v1;
	enum source_outcome rules
	        [SOURCE_COUNT]; /* OUTCOME_read, or the reason why a source is not tried at all */
};

/* @proc_fd is the root of the /proc tree. Finds the rules of the whole host. @cgroups may be NULL. */
void thread_reader_init(struct thread_reader *reader, int proc_fd, bool live,
                        struct cgroup_walk *cgroups);
void thread_reader_done(struct thread_reader *reader);

/* Reads the thread whose directory is @name below @task_fd; tid and tgid of @sample are set, pcomm may be. Returns
 * OUTCOME_read: the sample is whole, missing values have their reason; or OUTCOME_gone: the thread exited, drop it; or
 * OUTCOME_denied or OUTCOME_malformed if not even its identity could be read. If reader->fatal is set, the outcome
 * means nothing and the capture has failed. */
must_check_ enum source_outcome thread_read(struct thread_reader *reader, int task_fd,
                                            const char *name, struct thread_sample *sample);

/* The place of a thread in the list of its process, which must not change while they are read in order. */
struct thread_place {
	const uint32_t *ids; /* borrowed */
	size_t count;
	size_t index;
};

/* Does so with taskstats, and without the files that have no further values. */
must_check_ enum source_outcome thread_read_listed(struct thread_reader *reader,
                                                   struct taskstats_reader *taskstats, int task_fd,
                                                   const struct thread_place *place,
                                                   struct thread_sample *sample);

/* Returns whether the thread is exiting now and not dead yet. */
bool thread_is_exiting(struct thread_reader *reader, int task_fd, const char *name);
