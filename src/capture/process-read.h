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
