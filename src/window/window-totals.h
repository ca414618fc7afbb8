/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-totals - the totals of processes in a sum of windows. */
#include "base/strmap.h"
#include "ctprof/metric/sample.h"
#include "window/window-reading.h"

struct window_total {
	uint32_t tgid;
	uint64_t process_start; /* or PROCESS_START_UNKNOWN */
	uint32_t seen;          /* a bit for each enum process_total */
	uint64_t values[PROCESS_TOTAL_COUNT];
};

struct window_totals {
	struct window_total *entries; /* owned */
	size_t count, capacity;
	struct strmap places; /* by tgid and start, the place plus one */
};

/* For cleanup_(window_totals_done). */
void window_totals_done(struct window_totals *totals);

/* Keeps those of a row. */
void window_totals_add(struct window_totals *totals, const struct thread_sample *sample);

/* Adds those of the windows before to those of the next window. A process that was in the windows @before without totals has none
 * from here on. */
void window_totals_join(struct window_totals *next, const struct window_totals *so_far,
                        const struct window_reading *before);

/* Sets those of the row's process. */
void window_totals_set(const struct window_totals *totals, struct thread_sample *sample);
