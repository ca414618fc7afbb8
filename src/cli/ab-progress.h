/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* ab-progress - one line on the terminal, for as long as an experiment runs. */
#include <stdbool.h>

#include "experiment/run.h"

struct ab_progress {
	struct run_observer base; /* must stay the first member */
	bool shows;               /* standard error is a terminal */
	bool shown;
};

void ab_progress_init(struct ab_progress *progress, bool shows);
/* Removes the line. */
void ab_progress_clear(struct ab_progress *progress);
