/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* thread-store - threads kept in memory, packed to some 200 bytes each, to be found again by their tid: the
 * readings of a window, and the threads that exited in it. */
#include <stddef.h>
#include <stdint.h>

#include "ctprof/sample.h"
#include "ctprof/strbuf.h"
#include "ctprof/strmap.h"

enum { THREAD_STORE_NONE = UINT32_MAX };

/* Who a thread is, without unpacking it. */
struct thread_key {
	uint32_t tid;
	uint32_t tgid;
	uint64_t start_time_clock_ticks;
};

struct thread_store_row {
	struct thread_key key;
	uint64_t offset; /* into packed */
	uint32_t next;   /* another row with a tid of this hash, or THREAD_STORE_NONE */
};

/* All zero is the empty store. */
struct thread_store {
	struct thread_store_row *rows; /* owned, as all of these */
	uint32_t count, capacity;
	uint32_t *slots; /* by hash of the tid, the row added last */
	uint32_t slot_count;
	struct strbuf packed;
	struct strmap names; /* every name, label and CPU set, once */
};

/* For cleanup_(thread_store_done). */
void thread_store_done(struct thread_store *store);

/* Keeps a copy. Returns the number of its row; rows are numbered from 0. */
uint32_t thread_store_add(struct thread_store *store, const struct thread_sample *sample);

/* The inverse; @ret is reset first. */
void thread_store_get(const struct thread_store *store, uint32_t row, struct thread_sample *ret);

static inline const struct thread_key *thread_store_key(const struct thread_store *store,
                                                        uint32_t row)
{
	return &store->rows[row].key;
}

/* The sample's read_boottime_ns, without unpacking the rest. */
uint64_t thread_store_time(const struct thread_store *store, uint32_t row);

/* The row added last for a tid, and the one before a row for the same tid; THREAD_STORE_NONE where there is none. */
uint32_t thread_store_find(const struct thread_store *store, uint32_t tid);
uint32_t thread_store_before(const struct thread_store *store, uint32_t row);
