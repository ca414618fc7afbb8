/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* capture-run - a capture in two steps: the first one does the slow work that does not depend on the time of the
 * readings. */
#include "bpf/task-record.h"
#include "capture/capture.h"
#include "capture/stall.h"
#include "cgroup-walk.h"
#include "cost.h"
#include "jemalloc/jemalloc-files.h"
#include "process-cache.h"
#include "select-processes.h"
#include "settings-job.h"

/* Loads the program that reads threads, if it is wanted and works; else *ret_reader, which the caller frees, is NULL.
 * Returns 0, or -errno with a sentence if only the program would do. */
must_check_ int capture_load(const struct capture_options *options,
                             struct task_record_reader **ret_reader, struct strbuf *reterr);

/* Tools made before a capture, which another capture can use again. All of it is borrowed. */
struct capture_tools {
	struct task_record_reader *threads; /* NULL: threads are read from /proc */
	struct jemalloc_files *files;
	struct stall_list *stalls;
	struct settings_job
	        *settings; /* NULL, or one that was not begun: they are read by the capture */
	struct process_cache *known; /* NULL: nothing is known of processes */
	/* Processes that were selected by an earlier reading, and stay so; this reading's are added. NULL: there is no other. */
	struct selected_processes *selected;
	/* The cgroups of the reading before, which are read again, and then those of this one. NULL: there is no other. */
	struct cgroup_walk *cgroups;
	struct capture_wait *wait; /* NULL, or whose reading() is called if it is set */
	bool read_all;             /* read again what is known */
	/* Set if the capture is a reading of a window without names of users and containers: its first one, or they are known. */
	bool without_names;
	/* The host's fields, in which only those that change are read again; NULL: all of them are read. */
	const struct host *host;
	bool without_settings;
	/* Read settings behind the threads, and not before them: in the last reading of a window, so that it is no longer
	 * for it. */
	bool settings_last;
	uint64_t smaps_ns; /* see struct process_wishes */
};

/* Does as capture_run(); @meter has begun. */
must_check_ int capture_run_loaded(const struct capture_options *options,
                                   const struct capture_tools *tools,
                                   const struct cost_meter *meter, struct snapshot_writer *writer,
                                   struct snapshot_info *ret_info, struct strbuf *reterr);
