/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* duct-run - runs a command as a job, and writes what it prints and its records into files. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "duct/duct-files.h"
#include "duct/duct-recorder.h"
#include "job/job-run.h"

enum duct_reaction {
	DUCT_PASSES, /* the command gets it */
	DUCT_KILLS,  /* the command gets SIGKILL */
	DUCT_LEAVES, /* this process ends with 1 when the function returns: the command did not */
};

struct duct_options {
	char **argv;                           /* borrowed, as all of these */
	const struct job_inherited *inherited; /* the signals of the command */
	const struct duct_files *files;        /* open */
	bool shows_stdout, shows_stderr;
	bool has_records; /* into the file of DUCT_USAGE */
	bool new_session;
	bool pty; /* both streams are one terminal, whose output goes into the file of stdout */
	uint64_t sample_ns, report_ns;
	enum job_smaps smaps;
	void (*started)(void *context); /* the command runs */
	/* A signal has come, and this follows from it. */
	void (*signalled)(void *context, int number, enum duct_reaction reaction);
	void *context;
};

struct duct_outcome {
	struct job_result job;
	struct duct_recorded recorded;
	int output_error; /* -errno of the output of a terminal, or 0 */
	struct duct_copies
	        *copies;      /* of what the command printed, to show it; NULL: there are none */
	struct duct_pty *pty; /* its terminal, or NULL */
};

/* Runs the command. Returns 0, also if it cannot be executed; or -errno with a sentence. @ret is zeroed or done. */
must_check_ int duct_run(const struct duct_options *options, struct duct_outcome *ret,
                         struct strbuf *reterr);

/* Waits until all is shown that the command printed. */
void duct_outcome_show(struct duct_outcome *outcome);

/* For cleanup_(duct_outcome_done). */
void duct_outcome_done(struct duct_outcome *outcome);
