/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* parity-read - all threads of the host from /proc and taskstats, as a capture reads them. */
#include "base/fd.h"
#include "capture/process-read.h"
#include "capture/thread-read.h"
#include "taskstats/taskstats-read.h"

/* One reading of /proc. */
struct reading {
	struct thread_sample *threads; /* owned, by tid */
	size_t thread_count, thread_capacity;
	struct thread_sample *processes; /* only tgid and totals; by tgid */
	size_t process_count, process_capacity;
};

struct readers {
	int proc_fd;
	struct thread_reader thread;
	struct taskstats_reader taskstats;
	struct process_reader process;
	struct id_list processes, threads;
	struct strbuf listing;
};

void parity_readers_open(struct readers *readers, const struct taskstats_rules *rules);

/* Replaces what is in @reading. */
void parity_read_proc(struct readers *readers, struct reading *reading);

/* NULL where it was not there. */
const struct thread_sample *parity_find_thread(const struct reading *reading, uint32_t tid);
const struct thread_sample *parity_find_process(const struct reading *reading, uint32_t tgid);
