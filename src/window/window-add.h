/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-add - adds the values of a window to those of the windows before it: the inverse of window-subtract. A difference that one
 * of them lacks is unseen in the sum, as in one window over all of them. */
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"

/* Sets the time in which the thread was observed, and changes that of jemalloc's counters, if they have one of their own, by as much: the two
 * have other ends, and the same begin. */
void window_set_interval(struct thread_sample *sample, uint64_t interval_ns);

/* Makes @sample, a thread's row of the later window, the row of both. */
void window_add_thread(struct thread_sample *sample, const struct thread_sample *before);

/* Does so for a cgroup. */
void window_add_cgroup(struct cgroup_stats *stats, const struct cgroup_stats *before);

/* Does so for the info of a window: counters and numbers are added up, and what the later one does not have is moved from
 * @before. */
void window_add_info(struct snapshot_info *info, struct snapshot_info *before);

/* Moves what does not count and what @info does not have from the info of an earlier window. */
void window_add_facts(struct snapshot_info *info, struct snapshot_info *before);
