/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-table - threads in memory of which some are replaced and some end while windows follow one another: a thread-store whose rows
 * have marks. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/thread-store.h"

/* The marks of a row, which its owner sets. */
struct row_mark {
	uint64_t frame;            /* the last one that had the row; 0: the thread is gone */
	uint64_t length_ns, first; /* for window-sum: the sum's length then, the first frame */
	uint64_t left_out;         /* for frame-base: the last frame that left the row out */
};

/* All zero is the empty table. */
struct row_table {
	struct thread_store store;
	struct row_mark *marks; /* by row; owned */
	size_t capacity;
	uint32_t live; /* rows whose mark has a frame */
};

/* For cleanup_(row_table_done). */
void row_table_done(struct row_table *table);

/* Returns the row of a thread, or THREAD_STORE_NONE. */
uint32_t row_table_find(const struct row_table *table, const struct thread_key *key);

/* Adds a row, and ends @replaced unless that is THREAD_STORE_NONE. */
void row_table_put(struct row_table *table, uint32_t replaced, const struct thread_sample *sample,
                   struct row_mark mark);

void row_table_end(struct row_table *table, uint32_t row);

static inline bool row_table_is_live(const struct row_table *table, uint32_t row)
{
	return table->marks[row].frame > 0;
}

/* Gives back the memory of ended rows if they are the most. Rows have other numbers then. @scratch is overwritten. */
void row_table_tidy(struct row_table *table, struct thread_sample *scratch);
