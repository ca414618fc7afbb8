/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* memory-probe - reads counters from the thread-local storage of another process's threads, from a helper process:
 * whatever happens to us or to it, the kernel lets go of every thread. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/helper-guard.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/probe.h"
#include "procfs/process-identity.h"

/* Two counters relative to the thread pointer. */
struct memory_probe_place {
	uint64_t slot; /* address in the process of a word to add to both; 0: none */
	int64_t allocated;
	int64_t deallocated;
};

struct memory_probe_thread {
	uint32_t tid;
	bool has_pointer; /* the thread pointer is known; else the thread has to be stopped for it */
	uint64_t pointer;
	enum probe_tag tag; /* in: ok, or why it is left alone. Out: what became of it */
	uint64_t allocated; /* out, ok only: sums over the places */
	uint64_t deallocated;
	uint64_t read_boottime_ns; /* out, ok only: CLOCK_BOOTTIME in the middle of reading them */
};

enum { MEMORY_PROBE_PLACES_MAX = 4 };

struct memory_probe_request {
	uint32_t tgid;
	/* Read before anything that the request was made from; what is another program afterwards is pid_missing. */
	struct process_identity identity;
	size_t place_count;
	struct memory_probe_place places[MEMORY_PROBE_PLACES_MAX];
	size_t thread_count;
	struct memory_probe_thread *threads;
};

/* The cost of stopping, for the threads that were stopped. The time of a stop is an upper bound: from the last check that
 * found the thread running, or from the request to stop, until the thread was released. */
struct memory_probe_cost {
	uint64_t stops;
	uint64_t longest_stop_ns;
	uint64_t total_stop_ns;
};

struct memory_prober;

/* Never NULL. Nothing is started before the first request. */
struct memory_prober *memory_prober_new(void);
struct memory_prober *memory_prober_free(struct memory_prober *prober);
void memory_prober_freep(struct memory_prober **prober);

/* The helper is started only where @guard lets it, and keeps it; without, threads are earlier_helper or
 * no_helper_guard. @guard is borrowed until the prober is freed. */
void memory_prober_set_guard(struct memory_prober *prober, struct helper_guard *guard);

/* Fills the threads' tags and counters. Always returns in bounded time, and no thread is stopped any more then. */
void memory_prober_run(struct memory_prober *prober, struct memory_probe_request *request);
const struct memory_probe_cost *memory_prober_cost(const struct memory_prober *prober);
