/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-sums - the values of a job that are sums over its threads: of those that ended by their last counters, of those that go on by
 * their files. */
#include "ctprof/metric/sample.h"
#include "job/job-process.h"
#include "job/job-values.h"

enum { JOB_SUMS_COUNT = 20 };

/* All zero: no thread. */
struct job_sums {
	double sums[JOB_SUMS_COUNT];
	bool missing[JOB_SUMS_COUNT];      /* a thread has no such value */
	bool seen[JOB_SUMS_COUNT];         /* a thread has one */
	double impossible[JOB_SUMS_COUNT]; /* threads whose value is beyond their life */
};

/* Adds a thread that ended. An impossible value is left out and counted. */
void job_sums_add(struct job_sums *sums, const struct thread_sample *sample);

/* Adds a thread that goes on. A number that it has no counter for is not known of the job either. */
void job_sums_add_live(struct job_sums *sums, const struct job_counters *counters);

/* Nothing is known of some threads. */
void job_sums_forget(struct job_sums *sums);

/* Sets the values that all threads have, or all but those with an impossible one, as of the source *exits*. */
void job_sums_set(const struct job_sums *sums, struct job_values *values);
