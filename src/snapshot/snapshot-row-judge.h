/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-row-judge - what a row goes through before a visitor gets it, whether it comes from a file or from a capture. */
#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"
#include "metric/row-host.h"

/* The process of the row before. */
struct thread_row_process {
	uint32_t tgid;
	uint64_t start_clock_ticks; /* or PROCESS_START_UNKNOWN */
};
#define ROW_PROCESS_INIT ((struct thread_row_process){0, PROCESS_START_UNKNOWN})

/* Gives a row that has no start time of its process that of the row before, where the thread can be of that process: the rows
 * of a process follow one another, its leader first. Rows of older files have none. */
void thread_row_find_process(struct thread_row_process *before, struct thread_sample *sample);

/* Compares the host and the boot of a row with those of the row before, and begins another process if one of them is another one. Rows of
 * a file of one host have no host, and a boot only if it is not that of the host: in a sum over several boots. Returns false if a row of a
 * window of many hosts has no host. */
must_check_ bool thread_row_find_host(const struct snapshot_info *info, struct row_host *before,
                                      struct thread_row_process *process,
                                      struct thread_sample *sample);

/* Returns what is wrong with the window, as a sentence: its length is not known, or it is of many hosts and no window; else NULL. */
const char *snapshot_window_fault(const struct snapshot_info *info);

/* Makes values impossible that are beyond the bound of their metric at the time when the row was read, by the time and the
 * clock ticks of @info; of a row of a window also those beyond the time that the thread was there. */
void thread_row_judge(const struct snapshot_info *info, struct thread_sample *sample);

/* Returns whether the row has the outcome of the source. It does not if that is the rule of the host. */
bool thread_row_writes_outcome(const enum source_outcome rules[SOURCE_COUNT],
                               const struct thread_sample *sample, unsigned source);

/* Leaves of the outcomes and reasons of a row those that snapshot_write_thread() writes under these rules. */
void thread_row_keep_written_reasons(const enum source_outcome rules[SOURCE_COUNT],
                                     struct thread_sample *sample);
