/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* frame-base - the threads and cgroups of the windows before, for a window of a recording that has only what changed: a changes
 * frame. Writer and reader of a file keep the same base, so that each row is made whole again. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"
#include "snapshot/cgroup-base.h"
#include "snapshot/row-table.h"

/* All zero is the empty base. */
struct frame_base {
	struct row_table rows;
	struct cgroup_base cgroups;
	uint64_t frame; /* number of the frame that is made, from 1 on */
	bool is_whole;  /* that frame */
	uint64_t since_whole;
	enum source_outcome rules[SOURCE_COUNT]; /* of the frame, where it is written */
	/* The process of the last row, and the sums over its rows of this frame. */
	uint32_t tgid;
	uint64_t process_start;
	bool has_rows; /* one of its rows is in this frame */
	uint64_t sums[PROCESS_TOTAL_COUNT];
	uint64_t unchanged_threads, unchanged_cgroups; /* left out of the frame so far */
	struct thread_sample unchanged;                /* scratch */
};

/* For cleanup_(frame_base_done). Makes the base empty. */
void frame_base_done(struct frame_base *base);

/* Begins a frame to be written. Returns whether it is a whole one: if that is asked for, if there is none before, if the rules are
 * others, and once in a while, so that a reader need not begin far away. */
bool frame_base_begin_writing(struct frame_base *base, bool asked_whole,
                              const enum source_outcome rules[SOURCE_COUNT]);

/* Begins a frame that is read. */
void frame_base_begin_reading(struct frame_base *base, bool is_whole);

enum frame_row { FRAME_ROW_WHOLE, FRAME_ROW_CHANGES, FRAME_ROW_LEFT_OUT };

/* Returns how the next row of the frame is written. @ret_changes, with the texts of @sample, is what is written of a row of
 * changes. The rows of a process follow one another. */
enum frame_row frame_base_write_row(struct frame_base *base, const struct thread_sample *sample,
                                    struct thread_sample *ret_changes);

/* Returns whether a thread of which nothing moved is left out without a look at its row, as it was in the frame before. */
bool frame_base_leave_out(struct frame_base *base, const struct thread_key *key);

/* Takes over the next row that was read, after making it whole if it has changes only. Returns 0, or -ENOENT if the thread is not
 * in the frame before. */
must_check_ int frame_base_read_row(struct frame_base *base, bool is_changes,
                                    struct thread_sample *sample);

/* Returns whether the cgroup is left out of the frame that is written. */
bool frame_base_write_cgroup(struct frame_base *base, const struct cgroup_stats *stats);

/* Takes over a cgroup that was read. */
void frame_base_read_cgroup(struct frame_base *base, const struct cgroup_stats *stats);
/* Does so for one that is gone. */
void frame_base_end_cgroup(struct frame_base *base, const struct cgroup_stats *stats);

/* Returns whether there is a further thread of the frames before that is neither in the changes frame nor left out of it: it has
 * ended without a row. *row is 0 first. Called when all rows are written. */
bool frame_base_next_ended(struct frame_base *base, uint32_t *row, struct thread_key *ret_key);
/* Takes over one that was read. */
void frame_base_end_thread(struct frame_base *base, const struct thread_key *key);
/* Returns a further cgroup that is gone, borrowed until the next call; NULL if there is none. Called when all are written. */
const struct cgroup_stats *frame_base_next_gone(struct frame_base *base, bool is_v1);

/* Ends the frame. */
void frame_base_end(struct frame_base *base);

/* Returns how many threads and cgroups of the frames before are not in the changes frame. */
uint64_t frame_base_threads_left_out(const struct frame_base *base);
uint64_t frame_base_cgroups_left_out(const struct frame_base *base);
