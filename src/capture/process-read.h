/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* process-read - what is read once for a whole process, before its threads: the totals that include exited threads,
 * and smaps_rollup. */
#include "ctprof/capture.h"
#include "ctprof/macro.h"
#include "ctprof/sample.h"
#include "taskstats-read.h"

struct process_reader {
	enum capture_smaps smaps;
	struct taskstats_reader *taskstats; /* borrowed */
	struct strbuf text;
	/* The process last read; its totals and smaps, and the outcomes of their sources. */
	struct thread_sample sample;
};

void process_reader_init(struct process_reader *reader, enum capture_smaps smaps,
                         struct taskstats_reader *taskstats);
void process_reader_done(struct process_reader *reader);

/* Reads the process whose directory is @process_fd. Returns 0, or -errno where the trouble is our own (no
 * descriptors, no memory); what could not be read has its reason in reader->sample.outcomes. */
must_check_ int process_read(struct process_reader *reader, int process_fd, uint32_t tgid);

/* To be called when the process's threads have been read. From the first step of a thread's exit to its last the
 * kernel has it in the taskstats totals twice: where a thread has gone meanwhile they are read once more, for the smaller
 * ones, and of threads that are still on their way @exiting, what these have used, is taken off. */
void process_read_end(struct process_reader *reader, uint32_t tgid, bool threads_gone,
                      const uint64_t exiting[PROCESS_TOTAL_COUNT]);
