/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-samples - sums over the processes of a job at moments: their highest value, and their mean over the time. */
#include <stdbool.h>
#include <stdint.h>

#include "job/job-process.h"
#include "job/job-values.h"

struct job_samples {
	uint64_t start_ns, last_ns; /* of the job, and of the last sample */
	uint64_t longest_ns;        /* between two samples */
	uint64_t count, pss_count;
	bool lacks_pss; /* of a process, in some reading */
	double peak_rss, peak_vsz, peak_pss;
	double largest_rss;        /* of one process */
	double rss_time, vsz_time; /* sums of value times seconds */
	double seconds;
	double pss_sum;
	uint64_t cpu_ns; /* when the reading of @cpu_time began */
	double cpu_time, peak_pcpu;
	bool has_cpu_time, has_peak_pcpu;
};

/* @longest_ns is the longest time between two samples. */
void job_samples_init(struct job_samples *samples, uint64_t start_ns, uint64_t longest_ns);

/* Returns the time of the next sample: 10 ms after the start, then each eighth of the time so far, and each multiple of
 * @longest_ns after the start. */
uint64_t job_samples_next(const struct job_samples *samples);

/* Adds a reading. It stands for the time since the last one. One without a process is not counted. */
void job_samples_add(struct job_samples *samples, uint64_t now_ns, const struct job_memory *memory);

/* Adds a reading of the CPU time of the whole job, which was made between two times. The use of CPUs since the reading before is by the
 * longest time that may lie between the two, so that a delayed reading makes it no higher. */
void job_samples_add_cpu(struct job_samples *samples, uint64_t begin_ns, uint64_t end_ns,
                         double cpu_time);

void job_samples_add_pss(struct job_samples *samples, double bytes);

/* Notes a reading of PSS that lacks a process: the highest and the mean of the others are not the job's. */
void job_samples_lack_pss(struct job_samples *samples);

void job_samples_values(const struct job_samples *samples, struct job_values *values);

/* Raises the highest sum of resident memory to the most that one process had: the kernel keeps that, and a process may live between two
 * samples. */
void job_samples_raise_peak(struct job_values *values);
