/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-lost - finds out whether a process of the job has ended that nobody waited for, as its parent ignores SIGCHLD. wait4(2) of
 * its parent has nothing of it. The one that waits for a process gets its page faults, which are exact, and which every process
 * has, and its CPU time: they must be with its parent when it is gone. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fd.h"
#include "ctprof/base/strbuf.h"
#include "job/job-reader.h"
#include "job/job-tally.h"
#include "job/job-values.h"

enum { JOB_LOST_FAULTS, JOB_LOST_TICKS, JOB_LOST_AMOUNTS };

struct job_lost_process;

struct job_lost_list {
	struct job_lost_process *entries; /* owned */
	size_t count, capacity;
};

struct job_lost {
	bool found;
	/* At the last check: */
	struct job_lost_list known;      /* by pid */
	double reaped[JOB_LOST_AMOUNTS]; /* of the processes that we waited for */
};

/* Compares the processes with those of the last check. The tally has all that we have waited for, and does not change
 * meanwhile. */
void job_lost_check(struct job_lost *lost, struct job_reader *reader, const struct id_list *pids,
                    const struct job_tally *tally);

/* Forgets the sums of wait4(2) if one was found. */
void job_lost_forget(const struct job_lost *lost, struct job_values *values);

/* Appends a phrase if one was found, and numbers are not known for that. */
void job_lost_say(const struct job_lost *lost, const struct job_values *values, struct strbuf *out);

/* For cleanup_(job_lost_done). */
void job_lost_done(struct job_lost *lost);
