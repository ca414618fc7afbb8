/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-ends - the threads of a job that ended, by their counters at the last switch, and the groups of them with the most CPU
 * time. */
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "job/job-process.h"
#include "job/job-values.h"

/* Processes of one name. */
struct job_group {
	char name[JOB_COMM_BYTES];
	double cpu_time; /* in seconds */
	double processes, threads;
};

struct job_groups {
	struct job_group *entries; /* owned; by CPU time, the most first */
	size_t count, capacity;
};

void job_groups_done(struct job_groups *groups);

struct job_ends;

/* Begins to note the ends of the threads in a cgroup of version 2 and below it; @cgroup_fd is its directory. Returns NULL if this is
 * not possible. */
must_check_ struct job_ends *job_ends_start(int cgroup_fd);

/* Names the leader of the process that will execute the command, and its CPU time so far, in seconds, which is in no group. */
void job_ends_set_command(struct job_ends *ends, uint32_t tid, double cpu_time);

/* Adds up the ends so far, so that they take no more memory. */
void job_ends_catch_up(struct job_ends *ends);

/* Stops. If all ends are known, sets the values by them and by @live, which were there a moment ago, CPU time among them, and
 * fills @groups; else neither changes. A thread of these that has ended since then is counted once, by its end. */
void job_ends_stop(struct job_ends *ends, const struct job_live *live, size_t count,
                   struct job_values *values, struct job_groups *groups);

/* For cleanup_(job_ends_freep). */
void job_ends_freep(struct job_ends **ends);
