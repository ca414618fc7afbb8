/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-tally - waits for the processes of a job that have ended, and adds up what the kernel says of them: wait4(2) and
 * /proc/PID/io, which cover each process and all its descendants that were waited for. */
#include <stdbool.h>
#include <sys/types.h>

#include "base/fd.h"
#include "job/job-process.h"
#include "job/job-values.h"

struct job_tally {
	int proc_fd;                  /* borrowed */
	const struct id_list *others; /* children that are not of the job; borrowed */
	double user_time, system_time;
	double minor_faults, major_faults;
	double voluntary_switches, involuntary_switches;
	double largest_rss; /* bytes */
	bool has_io;        /* of all so far */
	double io[JOB_IO_COUNT];
	pid_t command;     /* a process whose file is open: */
	int command_io_fd; /* owned; below 0: it is not */
};

#define JOB_TALLY_INIT ((struct job_tally){.command_io_fd = -1})

void job_tally_init(struct job_tally *tally, int proc_fd, const struct id_list *others);

/* Opens the file of the command. When it is a zombie, only root can open it. */
void job_tally_watch(struct job_tally *tally, pid_t command);

/* For cleanup_(job_tally_done). */
void job_tally_done(struct job_tally *tally);

/* Waits for children that have ended. If @pid is among them, *@ret_ended and *@ret_status are set. Returns whether there are
 * more children of the job, which have not ended. */
bool job_tally_reap(struct job_tally *tally, pid_t pid, bool *ret_ended, int *ret_status);

/* Forgets the values by wait4(2). */
void job_tally_forget(struct job_values *values);

/* Sets the values; those of @live, which go on, are added. If there are other children, and no /proc, none is known. */
void job_tally_values(const struct job_tally *tally, const struct job_live *live, size_t count,
                      struct job_values *values);

/* Adds a process that nobody has waited for to the values that are known. A value that it lacks is not known any more. */
void job_tally_add(const struct job_live *live, struct job_values *values);
