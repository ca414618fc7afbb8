/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ab-progress - one line on the terminal, for as long as an experiment runs. */
#include <stdbool.h>

#include "ab/ab-options.h"
#include "experiment/run.h"

struct ab_progress {
	struct run_observer base;         /* must stay the first member */
	const struct ab_options *options; /* of the report, borrowed: what its rows are */
	bool shows;                       /* standard error is a terminal */
	bool shown;
};

/* @foresees says whether what the experiment will show is of interest. */
void ab_progress_init(struct ab_progress *progress, const struct ab_options *options, bool shows,
                      bool foresees);
/* Removes the line. */
void ab_progress_clear(struct ab_progress *progress);
