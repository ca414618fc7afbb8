/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-changes - a row of a window as what differs from the thread's unchanged row: the one that the window has if nothing
 * of the thread moved since the row before. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"

/* Makes the unchanged row of a row: differences that were seen are 0, peaks did not rise, and everything else is as it was. Its totals
 * of the process are the sums of rows, which are not set. Returns false if the row has values that make it none to go on from. */
must_check_ bool row_make_unchanged(struct thread_sample *sample);

/* Makes @ret, which has the texts of @sample, what @sample has beyond @unchanged. @sums are the sums over the rows of the
 * process. Returns false if some of it cannot be said so, such as a value that is missing now. */
must_check_ bool row_find_changes(const struct thread_sample *sample,
                                  const struct thread_sample *unchanged,
                                  const uint64_t sums[PROCESS_TOTAL_COUNT],
                                  struct thread_sample *ret);

/* Returns whether nothing is in what row_find_changes() has found, but for the time of its reading. */
bool row_has_no_changes(const struct thread_sample *changes);

/* The inverse: fills the changes that were read, all but the totals. Returns false if the interval is not known. */
must_check_ bool row_fill(struct thread_sample *changes, const struct thread_sample *unchanged);

/* Fills the totals of the process. */
void row_fill_totals(struct thread_sample *changes, const struct thread_sample *unchanged,
                     const uint64_t sums[PROCESS_TOTAL_COUNT]);
