/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* snapshot-batch - rows that are made outside of the writer, each set of them in a thread of its own, and given to it in
 * batches: as text where the writer has a file, as samples if it has a visitor. */
#include "ctprof/snapshot/snapshot.h"
#include "snapshot/thread-store.h"

/* All zero is the empty batch. */
struct snapshot_batch {
	struct strbuf text;
	struct thread_store samples;
};

static inline size_t snapshot_batch_bytes(const struct snapshot_batch *batch)
{
	return batch->text.len + batch->samples.packed.len;
}

/* Makes the batch empty; the text keeps its memory. */
static inline void snapshot_batch_clear(struct snapshot_batch *batch)
{
	strbuf_clear(&batch->text);
	thread_store_done(&batch->samples);
}

static inline void snapshot_batch_done(struct snapshot_batch *batch)
{
	strbuf_done(&batch->text);
	thread_store_done(&batch->samples);
}

/* Makes the rows of one thread, for @writer, which has begun. Never NULL. */
struct snapshot_rows;
struct snapshot_rows *snapshot_rows_new(const struct snapshot_writer *writer);
struct snapshot_rows *snapshot_rows_free(struct snapshot_rows *rows);
void snapshot_rows_add(struct snapshot_rows *rows, const struct thread_sample *sample,
                       struct snapshot_batch *batch);

/* Writes all rows of the batch, as snapshot_write_thread() does. */
must_check_ int snapshot_write_batch(struct snapshot_writer *writer,
                                     const struct snapshot_batch *batch);
