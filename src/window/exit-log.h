/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* exit-log - the threads that exited while somebody listened, with what they had done in all their life. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"
#include "snapshot/thread-store.h"

/* What is known of an end beside the thread's sample. */
struct exit_note {
	uint64_t
	        born_boottime_ns; /* CLOCK_BOOTTIME; no earlier than the thread's birth, and that where is_complete */
	uint64_t process_born_boottime_ns; /* the same of its process's leader; 0: not known */
	uint64_t exited_boottime_ns;       /* CLOCK_BOOTTIME; no earlier than its exit */
	uint64_t late_ns; /* by how much at most the birth may be later than the true one */
	/* CPU time of its life by mode; in the sample there is none, for there it is in clock ticks. */
	uint64_t user_ns;
	uint64_t system_ns;
	bool has_cpu_time;
	bool has_tgid; /* else the sample's tgid is its tid, and means nothing (exit records before Linux 5.19) */
	bool is_complete; /* the counters are those of its very last moment */
};

/* All zero is the empty log, of which nothing is known. */
struct exit_log {
	enum window_exits exits; /* whether anybody listened */
	/* One row for each end, in the order in which they became known: tid, tgid, comm, uid and cgroup as far as
	 * they are known, start_time_clock_ticks, life_ns (all of its life), and its counters since its birth. */
	struct thread_store records;
	struct exit_note *notes; /* by row; owned */
	uint32_t capacity;
	uint64_t received; /* records of the kernel */
	uint64_t overruns; /* times that it had no room for one, or BPF none for an end */
	uint64_t ends;     /* rows that are complete */
};

/* exit_part_of() says how much of a metric a window has of a thread that ended inside it: the row of registry/exits.def for
 * the way in which the window knows of ended threads. EXIT_PART_NOTHING where it does not know of them. */
enum exit_part { EXIT_PART_NOTHING, EXIT_PART_PART, EXIT_PART_WHOLE };
enum exit_part exit_part_of(enum metric_id metric, enum window_exits exits);

/* For cleanup_(exit_log_done). */
void exit_log_done(struct exit_log *log);

/* Copies both. */
void exit_log_add(struct exit_log *log, const struct thread_sample *sample,
                  const struct exit_note *note);
