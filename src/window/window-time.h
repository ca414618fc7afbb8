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
};

/* The same of all processes. Starts zeroed. */
struct window_accounted {
	uint64_t ticks;
	/* For each thread the CPU time that it can have used while /proc/stat counted and it was not read yet. Owned. */
	uint64_t *unobserved_ns;
	size_t count, capacity;
};

/* For cleanup_(window_accounted_done). */
void window_accounted_done(struct window_accounted *accounted);

/* Adds a thread that may have used so much CPU time while it was not observed. */
void window_time_unobserved(struct window_accounted *accounted, uint64_t time_ns);

/* Adds a row of the process, and its totals if it has them. */
void window_time_add(struct window_time *time, const struct thread_sample *sample);

/* Adds the process to a sum, and begins the next one. */
void window_time_end(struct window_time *time, struct window_accounted *accounted);

/* Stores at least how many ticks of the host's threads are in no row; 0 where it is less than their error. Returns false if it is not
 * known: the rows or the host's times contradict one another, or all that is in no row may be of threads that were not observed. */
bool window_time_rest(const struct host *host, struct window_accounted *accounted, uint64_t *ret);
