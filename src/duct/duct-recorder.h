/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-recorder - reads the processes of a job at its samples, and writes a record of them each report interval. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "duct/duct-files.h"
#include "duct/duct-series.h"
#include "job/job-run.h"

/* The end of a recording. */
struct duct_recorded {
	uint64_t samples, reports;
	bool has_peak; /* of CPU time per second, in percent: */
	double peak_pcpu;
	int error; /* -errno of the first record that could not be written, or 0 */
};

struct duct_recorder {
	struct job_watcher watcher;   /* of the job; must stay the first member */
	const struct duct_file *file; /* for the records; borrowed, NULL: there are none */
	double interval;              /* between two records, in seconds */
	struct duct_recorded recorded;
	/* The rest is its own. */
	struct duct_series series;
	struct job_reader *reader; /* of this sample; borrowed */
	double next_report;
	struct duct_process *processes; /* owned */
	size_t count, capacity;
};

/* Neither changes its place until it is done. */
void duct_recorder_init(struct duct_recorder *recorder, const struct duct_file *file,
                        uint64_t report_ns);

/* Is the watcher's function, for a watcher that has others as well. */
void duct_recorder_sample(struct duct_recorder *recorder, const struct job_moment *moment,
                          struct job_memory *ret);

/* For cleanup_(duct_recorder_done). */
void duct_recorder_done(struct duct_recorder *recorder);
