/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-time - the CPU time that the rows of a window account for. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/metric/sample.h"

/* CPU time of a process so far: by its rows, and by its total, which counts instead if it is known. */
struct window_time {
	uint64_t rows;
	uint64_t total;
	bool has_total;
};

/* Adds a row of the process, and its totals if it has them. */
void window_time_add(struct window_time *time, const struct thread_sample *sample);

/* Adds the process to a sum, and begins the next one. */
void window_time_end(struct window_time *time, uint64_t *accounted_ticks);
