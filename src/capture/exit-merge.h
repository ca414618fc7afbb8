/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* exit-merge - makes one row of the log for each exit from two sources: the kernel's record, which is early, and the
 * counters at the last switch, which come later or not at all. Does no I/O but for names of cgroups. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/thread-end.h"
#include "cgroup/cgroup-id.h"
#include "ctprof/base/hash.h"
#include "taskstats/taskstats.h"
#include "window/exit-log.h"

struct waiting_record;

/* The facts of a whole process, the last ones of enum exit_fact. */
enum {
	EXIT_PROCESS_FIRST = EXIT_FACT_process_cpu_run_real_total_ns,
	EXIT_PROCESS_FACTS = EXIT_FACT_COUNT - EXIT_PROCESS_FIRST
};
struct exit_process {
	uint32_t seen; /* as in struct thread_sample */
	uint64_t facts[EXIT_PROCESS_FACTS];
};

struct exit_merge {
	struct exit_log log;
	struct taskstats_rules rules;
	struct cgroup_ids *cgroups; /* borrowed; may be NULL */
	bool expects_ends;          /* records wait for them */

	/* Records without their ends, found by tid. */
	struct waiting_record *records; /* owned, as all below */
	uint32_t capacity, waiting;
	uint32_t first_free;
	uint64_t arrived; /* records so far, which numbers them */
	uint32_t *slots;  /* by hash of the tid; as many as capacity */
	struct hash_seed seed;

	/* Kept by exit_merge_set_process(). */
	struct exit_process process;

	struct thread_end *ends; /* that came since the last match */
	size_t end_count, end_capacity;
	struct thread_sample sample; /* for reuse */
};

/* @cgroups is borrowed until exit_merge_finish(). The memory of each log is limited to @log_bytes_max, 0: not at all. */
void exit_merge_init(struct exit_merge *merge, const struct taskstats_rules *rules,
                     struct cgroup_ids *cgroups, bool expects_ends, uint64_t log_bytes_max);

/* Takes other rules for the records that are not in the log yet. */
void exit_merge_set_rules(struct exit_merge *merge, const struct taskstats_rules *rules);

/* Adds a record that was there at the given moment (CLOCK_BOOTTIME); the birth that follows from it may be late by
 * @late_ns at most. Bytes that are no record are not counted. */
void exit_merge_add_record(struct exit_merge *merge, uint64_t received_boottime_ns,
                           uint64_t late_ns, const void *payload, size_t len);

/* Keeps the facts of a whole process for the record that is added next, that of its last thread. */
void exit_merge_set_process(struct exit_merge *merge, const void *process, size_t len);

/* Keeps a copy. */
void exit_merge_add_end(struct exit_merge *merge, const struct thread_end *end);

/* Makes rows of the ends so far, with the records that fit them. All records of these ends have been added by then,
 * since a thread's record is made before its end. Ends later than @until_boottime_ns without a record are left out. */
void exit_merge_match(struct exit_merge *merge, uint64_t until_boottime_ns);

/* Returns whether a record that was there at the given moment still waits for its end. */
bool exit_merge_waits(const struct exit_merge *merge, uint64_t received_by_boottime_ns);

/* Forgets the records from before the given moment that still wait. */
void exit_merge_drop(struct exit_merge *merge, uint64_t before_boottime_ns);

/* Makes rows of the records from before the given moment that still wait, whose ends are lost, and moves the log to @ret_log,
 * which is zeroed or as exit_log_done() leaves it. The merge goes on with an empty log. */
void exit_merge_split(struct exit_merge *merge, uint64_t lost_before_boottime_ns,
                      struct exit_log *ret_log);

/* Makes rows of the records that still wait, and moves the log to @ret_log. */
void exit_merge_finish(struct exit_merge *merge, struct exit_log *ret_log);
