/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* run - runs the units of an experiment, in their order: sets the arm, lets the host settle, and measures. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "experiment/record.h"

enum run_step { RUN_STEP_SWITCH, RUN_STEP_SETTLE, RUN_STEP_UNIT, RUN_STEP_READ, RUN_STEP_COUNT };

struct run_progress {
	const struct experiment *experiment;
	unsigned block, position, arm;
	unsigned blocks_done;
	enum run_step step;
	uint64_t left_ns; /* until the end, if nothing is void; 0: not known yet */
};

/* The effect that an experiment will be able to show. */
struct run_outlook {
	double detectable; /* the effect that all primaries would show at its end, as a share; infinite: not known */
	char text[512]; /* a sentence, safe to print; empty: nothing is known */
};

/* Callbacks of a caller who shows the progress. */
struct run_observer {
	/* About once a second, and at each step. */
	void (*progress)(struct run_observer *self, const struct run_progress *progress);
	/* One or more lines, about a block that is void, say. Safe to print. */
	void (*note)(struct run_observer *self, const char *text);
	/* Called in a child process, after three blocks, and after each one if the plan has "until". NULL: no
	 * outlook. */
	void (*outlook)(struct run_observer *self, const struct experiment *experiment,
	                struct run_outlook *ret);
};

struct run_options {
	int stop_fd;                   /* as in struct changes_options */
	const char *state_dir;         /* as there */
	struct run_observer *observer; /* borrowed */
};

/* Adds schedstats and delay accounting to the arms that do not name them, if this user can switch them on: all windows must have the
 * same counters. */
void run_add_common(struct plan *plan);

/* Runs what is left of an experiment: a block that does not count, and the blocks that are not whole. Everything is taken back at the end, also
 * after an error; @reterr gets a line for each value that could not be, and *ret_restored is false then. experiment.json is
 * there at all times. Returns 0, -EINTR by stop_fd, or -errno with a sentence first in @reterr. */
must_check_ int run_experiment(struct experiment *experiment, const struct run_options *options,
                               bool *ret_restored, struct strbuf *reterr);
