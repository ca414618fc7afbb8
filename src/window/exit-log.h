/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* exit-log - the threads that exited during the listening, with their counters of the whole life. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/metric/sample.h"
#include "ctprof/snapshot/snapshot.h"
#include "snapshot/thread-store.h"

/* Data about an end beside the thread's sample. */
struct exit_note {
	uint64_t
	        born_boottime_ns; /* CLOCK_BOOTTIME; no earlier than the thread's birth, and exact if is_complete */
	uint64_t process_born_boottime_ns; /* the same of its process's leader; 0: not known */
	uint64_t exited_boottime_ns;       /* CLOCK_BOOTTIME; no earlier than its exit */
	uint64_t late_ns; /* the most by which the birth may be later than the true one */
	/* CPU time of its life by mode; the sample has none, since it would be in clock ticks there. */
	uint64_t user_ns;
	uint64_t system_ns;
	bool has_cpu_time;
	bool has_no_ticks; /* no tick met it, so its modes are unknown: all is user time in the two, as in the kernel */
	bool has_tgid; /* else the sample's tgid is its tid, and means nothing (exit records before Linux 5.19) */
	bool is_complete; /* the counters are those of its very last moment */
};

/* All zero is the empty log, which lacks everything. */
struct exit_log {
	enum window_exits exits; /* the source of the exits, or the reason why there is none */
	/* One row for each end, in the order of arrival: tid, tgid, comm, uid and cgroup as far as they are known,
	 * start_time_clock_ticks, life_ns (all of its life), and its counters since its birth. */
	struct thread_store records;
	struct exit_note *notes; /* by row; owned */
	uint32_t capacity;
	uint64_t received; /* records of the kernel */
	uint64_t
	        overruns; /* times that it had no room for one, BPF none for an end, or this log none for a row */
	uint64_t ends;      /* rows that are complete */
	uint64_t bytes_max; /* of memory for the rows, about; 0: no limit */
};

/* exit_part_of() returns how much of a metric a window has of a thread that ended inside it: the row of
 * registry/exits.def for the window's source of ended threads, EXIT_PART_NOTHING if it has none. */
enum exit_part { EXIT_PART_NOTHING, EXIT_PART_PART, EXIT_PART_WHOLE };
enum exit_part exit_part_of(enum metric_id metric, enum window_exits exits);

/* For cleanup_(exit_log_done). */
void exit_log_done(struct exit_log *log);

/* Moves all of @from, which is empty afterwards, behind the ends of @log. The numbers are added up. */
void exit_log_append(struct exit_log *log, struct exit_log *from);

/* Copies both. If the log is full, it only counts an overrun. */
void exit_log_add(struct exit_log *log, const struct thread_sample *sample,
                  const struct exit_note *note);
