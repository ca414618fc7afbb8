/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* thread-store - keeps threads in memory, packed to some 200 bytes each, and finds them by their tid: the readings of a
 * window, and the threads that exited in it. */
#include <stddef.h>
#include <stdint.h>

#include "base/strmap.h"
#include "ctprof/base/hash.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/sample.h"

enum { THREAD_STORE_NONE = UINT32_MAX };

/* The identity of a thread, without unpacking it. */
struct thread_key {
	uint32_t tid;
	uint32_t tgid;
	uint64_t start_time_clock_ticks;
	uint64_t process_start_clock_ticks; /* or PROCESS_START_UNKNOWN */
};

/* Returns whether the threads are of the same process, as far as that is known. */
static inline bool thread_key_same_process(const struct thread_key *a, const struct thread_key *b)
{
	uint64_t left = a->process_start_clock_ticks, right = b->process_start_clock_ticks;

	return a->tgid == b->tgid &&
	       (left == right || left == PROCESS_START_UNKNOWN || right == PROCESS_START_UNKNOWN);
}

struct thread_store_row {
	struct thread_key key;
	uint64_t offset; /* into packed */
	uint64_t digest; /* of everything but the time of the reading */
	uint32_t before; /* the previous row with this tid, or THREAD_STORE_NONE */
};

/* All zero is the empty store. */
struct thread_store {
	struct thread_store_row *rows; /* owned, as all of these */
	uint32_t count, capacity;
	/* Two hash tables with open addressing, at most half full: by tid, and by tid, tgid and start time. A slot has the
	 * row that was added last, or THREAD_STORE_NONE. */
	uint32_t *by_tid, *by_key;
	uint32_t slot_count; /* of each */
	struct hash_seed seed;
	struct strbuf packed;
	struct strmap names; /* every name, label and CPU set, once */
	size_t name_bytes;   /* of all of them */
	uint64_t digest;     /* of the row that is added */
};

/* For cleanup_(thread_store_done). */
void thread_store_done(struct thread_store *store);

/* Keeps a copy. Returns the number of its row; rows are numbered from 0. */
uint32_t thread_store_add(struct thread_store *store, const struct thread_sample *sample);

/* Returns the bytes of memory that the rows take, about. */
size_t thread_store_bytes(const struct thread_store *store);

/* Unpacks a row; @ret is reset first. */
void thread_store_get(const struct thread_store *store, uint32_t row, struct thread_sample *ret);

static inline const struct thread_key *thread_store_key(const struct thread_store *store,
                                                        uint32_t row)
{
	return &store->rows[row].key;
}

/* Returns a number that is the same for rows with the same contents, of whatever store of this process, but for the time of their
 * reading. Rows with other contents have the same one by chance alone, once in 2^64. */
static inline uint64_t thread_store_digest(const struct thread_store *store, uint32_t row)
{
	return store->rows[row].digest;
}

/* Returns the sample's read_boottime_ns, without unpacking the rest. */
uint64_t thread_store_time(const struct thread_store *store, uint32_t row);

/* Returns the row added last with this tid, tgid and start time; THREAD_STORE_NONE if there is none. */
uint32_t thread_store_find_key(const struct thread_store *store, const struct thread_key *key);

/* Return the row added last for a tid, and the one before a row for the same tid; THREAD_STORE_NONE if there is
 * none. */
uint32_t thread_store_find(const struct thread_store *store, uint32_t tid);
uint32_t thread_store_before(const struct thread_store *store, uint32_t row);
