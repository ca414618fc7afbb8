/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* memory-probe-shared - the data of both sides of memory-probe: memory that is mapped by us and by the helper process, in
 * which a request lies and its answer grows, so that what the helper had done is known whatever becomes of it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "jemalloc/memory-probe.h"

/* The steps of a thread. */
enum probe_step {
	PROBE_STEP_LOOK,    /* its thread pointer is wanted */
	PROBE_STEP_BLOCKED, /* as it is, in uninterruptible sleep: it is to be looked at again */
	PROBE_STEP_ASK,     /* it may be stopped */
	PROBE_STEP_ASKED,   /* it will stop */
	PROBE_STEP_READ,    /* its pointer is known, its memory to be read */
	PROBE_STEP_DONE,    /* the tag says what became of it */
};

struct probe_thread {
	uint32_t tid;
	enum probe_step step;
	enum probe_tag tag; /* DONE only */
	bool is_attached;
	uint64_t asked_ns;
	uint64_t pointer;
	uint64_t seen[MEMORY_PROBE_PLACES_MAX][2]; /* at the first reading */
	uint64_t allocated;
	uint64_t deallocated;
	uint64_t read_boottime_ns;
	size_t origin; /* in the request */
};

struct probe_shared {
	uint32_t tgid;
	size_t place_count;
	struct memory_probe_place places[MEMORY_PROBE_PLACES_MAX];
	struct memory_probe_cost cost; /* of this request */
	uint64_t last_look_ns;         /* when those attached were last found not to have stopped */
	struct process_identity identity;
	/* The helper ends to be rid of threads that did not stop: the kernel lets go of them. Another one is to go on. */
	bool wants_successor;
	size_t thread_count;
	struct probe_thread threads[]; /* by tid, rising */
};

static inline void probe_thread_end(struct probe_thread *thread, enum probe_tag tag)
{
	thread->step = PROBE_STEP_DONE;
	thread->tag = tag;
}

/* Counts the stop of a thread that has just been let go. */
static inline void probe_count_stop(struct probe_shared *shared, struct probe_thread *thread)
{
	uint64_t since =
	        thread->asked_ns > shared->last_look_ns ? thread->asked_ns : shared->last_look_ns;
	uint64_t took = clock_now_ns(CLOCK_MONOTONIC) - since;

	thread->is_attached = false;
	shared->cost.stops++;
	shared->cost.total_stop_ns += took;
	if (took > shared->cost.longest_stop_ns)
		shared->cost.longest_stop_ns = took;
}

/* In the helper process: answers HELPER_PROBE on @socket until it is closed. @parent is who started this process. */
noreturn_ void memory_probe_help(int socket, pid_t parent);

/* The steps of a request, in the helper. */
void thread_stop_all(struct probe_shared *shared);
void memory_read_all(struct probe_shared *shared);
