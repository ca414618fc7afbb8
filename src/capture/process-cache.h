/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* process-cache - the files of processes that were read in the pass before, for those that have done nothing since: a process that has
 * not run has neither executed a program nor changed its directory or its title. */
#include <stdbool.h>
#include <stdint.h>

#include "bpf/task-record.h"
#include "ctprof/base/macro.h"
#include "ctprof/metric/sample.h"

/* The work of a process so far. */
struct process_activity {
	uint32_t tgid;
	uint32_t threads;
	uint64_t born_boottime_ns;
	uint64_t run_ns;
	uint64_t switches;
	uint64_t start_stack;
	bool is_known; /* none of its threads runs or is on its way out, so that the numbers are complete */
};

/* The work of one of its threads. */
void process_activity_add(struct process_activity *activity, const struct task_record *thread);

struct process_cache;

/* Never NULL; free with process_cache_freep(). */
struct process_cache *process_cache_new(void);
void process_cache_freep(struct process_cache **cache_ref);

/* Begins a pass. Without @use nothing is found in it, so that all files are read again. Several threads may look up and keep then. */
void process_cache_begin(struct process_cache *cache, bool use);

/* Sets the paths and the title of the sample, with their outcomes, if the process has done nothing since they were read. */
bool process_cache_get(struct process_cache *cache, const struct process_activity *activity,
                       struct thread_sample *sample);

/* Keeps those that were read. */
void process_cache_keep(struct process_cache *cache, const struct process_activity *activity,
                        const struct thread_sample *sample);
