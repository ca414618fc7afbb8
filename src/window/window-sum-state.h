/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-sum-state - the state that the two parts of window-sum share: adding windows, and writing the sum. */
#include "snapshot/frame-base.h"
#include "window-merged.h"
#include "window-time.h"
#include "window-totals.h"
#include "window/window-sum.h"

/* The numbers of the row of a thread that ended which its store does not have. */
struct ended_mark {
	uint32_t successors; /* of its process */
	uint32_t boot;       /* place in the sum's */
};

struct window_sum {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct frame_base base;          /* the last window, as its file has it */
	struct row_table live;           /* marks have the numbers of windows */
	struct cgroup_base cgroups;      /* the same */
	struct strmap gone;              /* version and path of cgroups that ended in any window */
	struct window_totals totals, totals_next;
	struct snapshot_info so_far, next;
	bool is_checked;  /* the boot of the next window */
	bool begins_boot; /* the next window is of another one than those before */
	struct thread_store ended;
	struct ended_mark *ended_marks; /* of these; owned */
	size_t mark_count, mark_capacity;
	struct strmap boots; /* of the windows, in the order in which they were met */
	uint32_t boot;       /* the one of the threads that live; a place in these */
	uint64_t boots_min;  /* what a window that is a sum itself says of its own */
	bool only_moved;     /* rows that the first window leaves out are in no sum */
	bool has_idle;       /* rows of threads that did nothing are in it */
	bool merges;
	struct window_merged merged;
	uint32_t merge_at; /* the number of ended rows beyond which they are merged */
	struct snapshot_info facts;
	uint64_t count;         /* of the windows and sums so far */
	uint32_t ended_leaders; /* rows of @live that end with this window: see end_leaders() */
	uint64_t windows, gaps, gap_ns;
	uint64_t length_ns;               /* of the windows so far */
	struct thread_sample row, before; /* scratch */
	uint64_t rows;                    /* written */
	struct window_time time;
	struct window_accounted accounted; /* CPU time of the processes */
};

/* Gets the sum of a thread, for all windows so far. */
void window_sum_row(const struct window_sum *sum, uint32_t row, struct thread_sample *ret);

/* Keeps a row of a thread that has ended, in that boot. */
void window_sum_keep_ended(struct window_sum *sum, const struct thread_sample *sample,
                           uint32_t boot);

/* A row of those that ended, with what it is sorted by. */
struct ended_row {
	uint32_t row;
	uint32_t tgid;
	uint64_t process_start;
	struct ended_mark mark;
	uint32_t tid;
	uint64_t start;
	bool is_written;
};

/* Returns the ended rows by process; owned by the caller. */
struct ended_row *window_sum_sort_ended(const struct window_sum *sum);

/* Returns the number of rows that are of the same process as the first one. */
size_t window_sum_count_process(const struct ended_row *rows, size_t most);

/* Returns the row of the ended threads of a process that has its last name. */
uint32_t window_sum_last_row(const struct window_sum *sum, const struct ended_row *rows,
                             size_t count);

/* Gives a thread the name that its process had in @last, and the executable, the working directory and the title of that. Does nothing
 * if it is the same name, or if the process or its name is not known. */
void window_sum_set_process(struct thread_sample *row, const struct thread_sample *last);

/* Merges the rows of processes that ended with all their threads: see window_sum_merge(). */
void window_sum_merge_ended(struct window_sum *sum);
