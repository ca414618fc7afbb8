/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-sum - makes one window of windows that follow one another. A time between two of them, of which there is no window, is a
 * gap: it is in no sum and in no length, and it is counted. A window may be a sum itself: the result is that of all its windows. There are some 200 bytes in memory for each thread that lived in one of
 * the windows. */
#include <stdbool.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"
#include "ctprof/snapshot/snapshot.h"

struct window_sum;
struct frame_base;

/* Never NULL; free with window_sum_freep(). */
struct window_sum *window_sum_new(void);
void window_sum_freep(struct window_sum **sum_ref);

/* From now on, rows of processes that began and ended in one window with all their threads are folded into one row for each set of names:
 * the sum takes memory for names and for threads that live, and not for each thread that lived. Such a sum is
 * right for groups by names alone. Called before the first window. */
void window_sum_merge(struct window_sum *sum);

/* Leaves out the threads and cgroups of which nothing moved in the first window, where the file leaves them out: for sums of counters, so
 * that a window takes no longer than what it has. Called before the first window. */
void window_sum_only_moved(struct window_sum *sum);

/* Returns whether the sum has all threads of some window of it, also those that did nothing. */
bool window_sum_has_idle(const struct window_sum *sum);

/* Returns whether window_sum_merge() was called. */
bool window_sum_merges(const struct window_sum *sum);

/* Reads the next window. Returns 0; -EINVAL with a sentence if it is none, or begins before the end of the one before; or as
 * snapshot_read() does. After an error the sum can only be freed. */
must_check_ int window_sum_read(struct window_sum *sum, struct byte_source *source,
                                const struct snapshot_limits *limits, struct strbuf *reterr);

/* Reads a window that is not to be in the sum, and on which the next one may depend. Result as that of window_sum_read(). */
must_check_ int window_sum_pass(struct window_sum *sum, struct byte_source *source,
                                const struct snapshot_limits *limits, struct strbuf *reterr);

/* Exchanges what the next window may depend on, which is that of the file that the windows are in. So a file whose windows are in
 * several sums is read once. */
void window_sum_swap_base(struct window_sum *sum, struct frame_base *base);

/* Moves the facts about the host out of the info of an earlier window, which the windows to be summed may leave out. Called before
 * the first one. */
void window_sum_set_facts(struct window_sum *sum, struct snapshot_info *earlier);

/* Lets the sum begin with the window behind the last one of @before: moves what that window may depend on, and the facts about the host,
 * out of @before, which can only be written or freed from then on. Called before the first window. */
void window_sum_follow(struct window_sum *sum, struct window_sum *before);

/* Returns the number of windows so far; one that is a sum itself counts once. */
uint64_t window_sum_count(const struct window_sum *sum);

/* Writes the window over all of them; there is at least one. Called once. Returns 0, or the writer's -errno. @ret_info is the
 * window's; snapshot_info_done() it in any case. */
must_check_ int window_sum_write(struct window_sum *sum, struct snapshot_writer *writer,
                                 struct snapshot_info *ret_info);
