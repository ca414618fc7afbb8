/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* run-state - the state of a run in progress, shared by the run-*.c files. */
#include "experiment/run.h"
#include "knob/changes.h"
#include "measure.h"
#include "outlook.h"
#include "work-output.h"
#include "workload.h"

struct run {
	struct experiment *experiment;
	const struct run_options *options;
	struct changes *changes;
	struct knob_list *arms; /* borrowed lists of the plan */
	struct measure measure;
	struct workload workload;
	struct work_output output;
	struct outlook outlook;
	bool has_outlook; /* the observer has had one */
	struct run_progress progress;
	uint64_t shown_ns; /* CLOCK_MONOTONIC */
	uint64_t unit_ns; /* what a unit takes on the average, without its settling; 0: not known */
	uint64_t units_timed;
};

/* A unit that cannot count: a command failed, or a guard does not hold. */
enum { RUN_FAILED = 1, RUN_DISTURBED = 2 };

/* Waits for an event, or until CLOCK_MONOTONIC is @until_ns: reads the output of the workload and the messages of the measuring
 * process, and restarts the guardian. Returns 0; -EINTR by stop_fd; another -errno with a sentence. */
must_check_ int run_wait(struct run *run, uint64_t until_ns, struct strbuf *reterr);

/* Calls the observer for a step. */
void run_show(struct run *run, enum run_step step);

/* Runs one command to its end. Returns 0, RUN_FAILED with a phrase, or -errno with a sentence. */
must_check_ int run_command(struct run *run, const char *command, size_t arm,
                            struct strbuf *reterr);

/* Asks the observer, if it is time, what the experiment will be able to show, and ends it if that is enough. Returns 0 or as
 * run_wait(). */
must_check_ int run_look_ahead(struct run *run, struct strbuf *reterr);

/* Does one unit, and fills @unit. Returns 0; RUN_FAILED or RUN_DISTURBED with a phrase; or -errno with a sentence. */
must_check_ int run_unit(struct run *run, struct unit *unit, unsigned number,
                         struct strbuf *reterr);
