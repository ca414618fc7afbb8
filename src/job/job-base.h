/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-base - the counters that a process has before it executes the command: they are not the job's. */
#include "job/job-process.h"
#include "job/job-values.h"

struct job_base {
	double rss; /* bytes that a copy of us has */
	bool has_live;
	struct job_counters live; /* the process, which has one thread */
	struct job_values cgroup; /* of the cgroup */
};

/* Returns the most memory that this process has had, in bytes: for @rss where /proc cannot say it; 0 if it is not known. */
double job_base_peak_rss(void);

/* Subtracts them from the values of the cgroup and from all others. Counts by wait4(2) are forgotten if they are not known. */
void job_base_subtract(const struct job_base *base, struct job_values *of_cgroup,
                       struct job_values *values);

/* Replaces the memory of the largest process if it is that of a copy of us: by the sampled one, @sampled bytes, or by
 * nothing if that is 0. */
void job_base_check_largest(const struct job_base *base, double sampled, struct job_values *values);
