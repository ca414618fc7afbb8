/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-totals - the totals of processes in a sum of windows. */
#include "base/strmap.h"
#include "ctprof/metric/sample.h"
#include "snapshot/thread-store.h"

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

/* Notes the process of a row, and keeps its totals if the row has them. */
void window_totals_add(struct window_totals *totals, const struct thread_sample *sample);

/* Adds those of a window to those of the windows before, and makes @next empty. A process that was in these windows without totals has
 * none from here on; @was_there says of its leader whether it was. In a window that @is_whole a process without totals has none. */
void window_totals_join(struct window_totals *totals, struct window_totals *next, bool is_whole,
                        bool (*was_there)(const void *context, const struct thread_key *leader),
                        const void *context);

/* Sets those of the row's process. */
void window_totals_set(const struct window_totals *totals, struct thread_sample *sample);
