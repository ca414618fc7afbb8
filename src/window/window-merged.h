/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-merged - folds the rows of processes that began and ended between two times into one row for each set of names. Groups by names
 * have the same values with such a row as with those of its threads. */
#include <stdbool.h>
#include <stddef.h>

#include "base/strmap.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/sample.h"

struct window_merged {
	struct strmap places; /* from names, labels and reasons to the place of a row, plus one */
	struct thread_sample *rows; /* owned; merged_threads of each is set */
	size_t count, capacity;
	struct strbuf key; /* scratch */
};

/* Returns whether the row can be merged, if those of all threads of its process can: the thread passed, all its values are possible, and
 * it has no total of the process. A row that is merged itself can be. */
bool window_merged_can(const struct thread_sample *sample);

/* Returns whether two rows of a process have the same names of the process. */
bool window_merged_is_like(const struct thread_sample *a, const struct thread_sample *b);

/* Folds in a row for which that is so. It may be changed. Returns false if there are too many sets of names; then nothing is done. */
must_check_ bool window_merged_add(struct window_merged *merged, struct thread_sample *sample);

/* For cleanup_(window_merged_done). */
void window_merged_done(struct window_merged *merged);
