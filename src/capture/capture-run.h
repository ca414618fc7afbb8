/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* capture-run - a capture in two steps: what takes long and has nothing to do with when the threads are read comes first. */
#include "bpf/task-record.h"
#include "capture/capture.h"
#include "cost.h"
#include "jemalloc/jemalloc-files.h"
#include "stall.h"

/* Loads the program that reads threads, where it is wanted and works; else *ret_reader, which the caller frees, is NULL.
 * Returns 0, or -errno with a sentence where nothing else was wanted. */
must_check_ int capture_load(const struct capture_options *options,
                             struct task_record_reader **ret_reader, struct strbuf *reterr);

/* What is there before a capture, and can be used for another one. All of it is borrowed. */
struct capture_tools {
	struct task_record_reader *threads; /* NULL: threads are read from /proc */
	struct jemalloc_files *files;
	struct stall_list *stalls;
	/* Where the capture is a reading of a window, which says nothing of users: its first one, or they are known. */
	bool without_users;
	/* Read settings behind the threads, and not before them: in the last reading of a window, so that it is no longer
	 * for it. */
	bool settings_last;
};

/* As capture_run(); @meter has begun. */
must_check_ int capture_run_loaded(const struct capture_options *options,
                                   const struct capture_tools *tools,
                                   const struct cost_meter *meter, struct snapshot_writer *writer,
                                   struct snapshot_info *ret_info, struct strbuf *reterr);
