/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-time - the CPU time that the rows of a window account for. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"

/* CPU time of a process so far: by its rows, and by its total, which counts instead if it is known. */
struct window_time {
	uint64_t rows;
	uint64_t total;
	bool has_total;
	uint64_t
	        shortest_ns; /* the shortest interval of its threads that were there all the time; 0: none */
};

/* The same of all processes. Starts zeroed. */
struct window_accounted {
	uint64_t ticks;
	uint64_t shortest_ns;
};

/* Adds a row of the process, and its totals if it has them. */
void window_time_add(struct window_time *time, const struct thread_sample *sample);

/* Adds the process to a sum, and begins the next one. */
void window_time_end(struct window_time *time, struct window_accounted *accounted);

/* Stores at least how many ticks of the host's threads are in no row. Returns false if it is not known: the host's ticks missed work
 * between them. */
bool window_time_rest(const struct host *host, const struct window_accounted *accounted,
                      uint64_t *ret);
