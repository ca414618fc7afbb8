/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* job-report - the summary of a job: for people, as JSON, and by a template. */
#include <stdio.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "job/job-run.h"

/* The runs of one command. */
struct job_report {
	char *const *argv; /* borrowed, as all of these */
	const char *working_directory;
	const struct job_result *runs; /* one at least; all were started */
	size_t count;
	int code; /* the first that is not 0 */
};

/* Appends the summary of the only run: lines of text. */
void job_report_text(const struct job_report *report, struct strbuf *out);

/* Appends mean, spread and interval of each value of several runs: lines of text. */
void job_report_repeats(const struct job_report *report, struct strbuf *out);

/* Appends an object with all runs, and a newline. */
void job_report_json(const struct job_report *report, struct strbuf *out);

/* Appends the words of the command, each quoted for a shell if it needs that. */
void job_report_command(char *const *argv, struct strbuf *out);
