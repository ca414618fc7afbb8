/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-sum-state - the state that the two parts of window-sum share: adding windows, and writing the sum. */
#include "snapshot/frame-base.h"
#include "window-time.h"
#include "window-totals.h"
#include "window/window-sum.h"

struct window_sum {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct frame_base base;          /* the last window, as its file has it */
	struct row_table live;           /* marks have the numbers of windows */
	struct cgroup_base cgroups;      /* the same */
	struct window_totals totals, totals_next;
	struct snapshot_info so_far, next;
	bool is_checked; /* the boot of the next window */
	struct thread_store ended;
	uint32_t *successors; /* of the processes of these; owned */
	size_t successor_count, successor_capacity;
	struct snapshot_info facts;
	uint64_t count; /* of the windows and sums so far */
	uint64_t windows, gaps, gap_ns;
	uint64_t length_ns;               /* of the windows so far */
	struct thread_sample row, before; /* scratch */
	uint64_t rows;                    /* written */
	struct window_time time;
	uint64_t accounted_ticks; /* CPU time of the processes */
};

/* Gets the sum of a thread, for all windows so far. */
void window_sum_row(const struct window_sum *sum, uint32_t row, struct thread_sample *ret);
