/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-reader - reads files of the processes of a job in threads that can be given up, since a process may hold up its readers
 * (capture/stall.h). A runner that waited for one would not see the end of the command, nor pass signals on. */
#include <stdint.h>

#include "base/fd.h"
#include "capture/stall.h"

struct job_reader {
	int proc_fd;              /* borrowed */
	struct stall_list stalls; /* the reader's own */
	struct id_list stalled;   /* processes that have held a thread up, each of them once */
};

/* A reading of each process of a list. */
struct job_reading {
	/* AVOIDS_MEMORY or AVOIDS_ALL. A process is left out while an earlier reading of it is held up that reads as much or less. */
	enum stall_avoids kind;
	/* Reads a process, in a thread of its own while the caller waits. A call that stalls writes to variables of this function
	 * alone, and never returns to it. */
	void (*read)(struct job_reading *self, uint32_t pid);
	/* The process is not read. Called in the thread of the caller; may be NULL. */
	void (*leave_out)(struct job_reading *self, uint32_t pid);
};

/* Calls self->read() for each process in turn. Each of those that stall costs 100 ms at most, and 16 of them end the reading: then
 * the rest is left out. If there is no thread to be had, the caller's thread reads. */
void job_reader_read(struct job_reader *reader, struct job_reading *self,
                     const struct id_list *pids);

/* For cleanup_(job_reader_done). */
void job_reader_done(struct job_reader *reader);
