/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-join - the state that the parts of window_make() share. */
#include "ctprof/base/macro.h"
#include "window-time.h"
#include "window/exit-log.h"
#include "window/window-reading.h"

/* A thread that ended inside and has a record. */
struct window_exit {
	uint32_t record; /* row of the log */
	uint32_t first;  /* row of the first reading; THREAD_STORE_NONE: it was born inside */
	/* Row of the first reading of the leader whose ids it took over, if it was born inside; else THREAD_STORE_NONE. */
	uint32_t former_leader;
	uint32_t tgid;
	uint64_t process_start; /* of its process in clock ticks, or PROCESS_START_UNKNOWN */
	uint64_t
	        process_born_ns; /* the same to the nanosecond, if the record is complete; else 0 */
	uint32_t successors;     /* later processes with this tgid and process_start */
	bool is_leader;
	bool is_taker; /* it took over the ids of a leader that has a record as well */
	bool is_live;  /* its process is in the last reading */
	/* Its process may be the one of the last reading, though it counts as a predecessor. */
	bool may_be_live;
	bool is_written;
	uint32_t
	        leader_record; /* row of the log plus one, where the process is known by that; else 0 */
	bool is_ambiguous;     /* several processes can be its own, and they have different names */
};

/* A thread of the first reading that ended inside, without a record. */
struct window_lost {
	uint32_t tgid;
	uint32_t first; /* row of the first reading */
	uint64_t process_start;
	size_t unwritten; /* its own index; once it is written, the index of one behind it */
};

/* Leaders of one process of which there is the kernel's record only, as rows of the log. For all other records both are the record itself. */
struct window_leader {
	uint32_t first; /* the one that was born with the process */
	uint32_t last;  /* the last one that took over its ids; valid in the row of the first one */
};

struct window_join {
	struct window_reading first, last;
	uint64_t asked_length_ns;     /* 0: no length was requested */
	const struct exit_log *exits; /* borrowed; the empty log if there was no listener */
	uint64_t tick_ns;
	uint64_t begin_ns, end_ns; /* CLOCK_BOOTTIME; begin is before end */
	bool *in_last;             /* by row of the first reading; owned, as all of these */
	bool *replaced;            /* by row of the last reading: see window-exits.c */
	/* For those rows, the row of the first reading of the thread that has these ids now, plus one; 0: not known. */
	uint32_t *takers;
	struct window_exit *ended; /* by tgid and birth of the process, leader first */
	size_t ended_count;
	struct window_leader *leaders; /* by record */
	struct window_lost *lost;      /* by process once they are sorted */
	size_t lost_count, lost_capacity;
	struct window_rests rests;
	struct thread_sample sample, other; /* scratch */
	struct snapshot_info *info;         /* the window's; borrowed */
	struct exit_log *next_exits;        /* see struct window_next; borrowed, may be NULL */
	bool keeps_last;                    /* the last reading stays as it is */
	bool whole_host;                    /* both readings have all threads of the host */
	uint64_t exits_behind;              /* records of threads born after the end */
	uint64_t cgroups_remade;            /* of the last reading, under paths of the first one */
	struct window_accounted accounted;  /* CPU time of the window's processes */
	uint64_t rows;                      /* written */
};

/* Infers the boot if neither of the two has it and a thread (ids, start time and name) is in both: sets the times of
 * capture since boot by the births of threads, and returns true. */
bool window_infer_boot(struct window_reading *first, struct window_reading *last);

/* Returns whether there is a window between the two; -EINVAL with a sentence otherwise. */
must_check_ int window_check(const struct window_reading *first, const struct window_reading *last,
                             const struct window_options *options, bool inferred,
                             struct strbuf *reterr);

/* Return the tick of a time, and the begin of a tick. */
uint64_t window_tick_of(const struct window_join *join, uint64_t boottime_ns);
uint64_t window_tick_begin(const struct window_join *join, uint64_t tick);

/* Returns whether a record is of a life that began before another one with its tid had ended. Then a thread that was not the leader
 * of its process has executed a program: it took over the leader's ids and birth, but its earlier work is its own. */
bool window_took_over(const struct window_join *join, uint32_t record, uint32_t leader);

/* Fills leaders. */
void window_find_leaders(struct window_join *join);

/* Returns the key of a record; for one that took over a leader's ids, that of the leader, whose birth it has. */
const struct thread_key *window_leader_key(const struct window_join *join, uint32_t record);

/* Sets is_taker of a leader of which there is the kernel's record only, and the birth or the last name of its process, if others took
 * over its ids. */
void window_set_leader(const struct window_join *join, struct window_exit *ended);

/* Numbers the successors of all processes that ended. The ended threads are sorted by the birth of the process. */
void window_number_processes(struct window_join *join);

/* Finds the thread of each exit record: fills replaced, ended and its tallies. in_last is filled already. */
void window_find_exits(struct window_join *join);

/* Finds the process of each ended thread of which there is the kernel's record only, or marks it as ambiguous; the leaders of
 * processes have their successors. Sorts the ended threads by process. */
void window_settle_processes(struct window_join *join);

/* Returns whether the thread in join->sample, a row of the last reading, may be another one than @first, which had the
 * same ids in the first reading: it has run for longer than the window, or, as the leader of its process, for longer
 * than all of it, or has counted less than before, or another thread of its process may have executed a program
 * since. */
bool window_is_another(const struct window_join *join, const struct thread_key *key,
                       const struct thread_sample *first);

/* Returns whether a record with the ids of a leader that had ended when it was read first, in that row, is not its own but of a thread
 * that took over its ids. The lost threads are sorted already. */
bool window_is_of_taker(struct window_join *join, uint32_t leader_row, uint32_t record);

/* Returns whether the leader of the first reading is another thread in a row of the last one, if another thread of its process has no
 * record: the leader has one, or had ended before the window. */
bool window_leader_is_replaced(struct window_join *join, const struct thread_key *leader,
                               uint32_t row);

/* Adds the time between the first reading of /proc/stat and that of a thread, which was read as @first, to what was not observed: as
 * far as the thread has run so long in its life. */
void window_note_unobserved(struct window_join *join, const struct thread_sample *first);

/* Sets interval_ns of a thread that only one reading has, or none, from its life_ns: the length of the window, for its work is
 * all that it did there. It may have been there for longer if readings take long. */
void window_set_partial_interval(const struct window_join *join, struct thread_sample *sample);

/* Set CPU time by mode, in clock ticks, of join->sample. The first is for a thread that was born and ended in the window; the
 * second for one that was read before, as @first, and ended; the third for one that was born and is in @row of the last reading:
 * if its run time is known, its ticks become those of that, with the rest that the row before has left. */
void window_set_ticks(struct window_join *join, const struct exit_note *note);
void window_subtract_ticks(struct window_join *join, const struct exit_note *note,
                           uint32_t first_row, const struct thread_sample *first);
void window_settle_born(struct window_join *join, uint32_t row);

/* Does so for a thread of both readings, whose row has the differences: the rows of one that was born in an earlier window go on
 * from there, so that they add up to all of its time. The first one is for join->sample as it was read, with join->other as the
 * first reading. */
struct window_step {
	bool is_known;
	struct window_carry carry;
	struct window_modes now; /* its time since its birth */
};
struct window_step window_step_of(const struct window_join *join, uint32_t first_row);
void window_carry_ticks(struct window_join *join, uint32_t row, const struct window_step *step);
/* Does so for a thread that did nothing in between. */
void window_keep_carry(struct window_join *join, uint32_t first_row, uint32_t row);

/* Gives @sample what its files no longer show if it has ended while they were read last: its cgroups, and if it has the
 * same name as in the first reading, the paths and the title of its process. */
void window_keep_paths(struct thread_sample *sample, const struct thread_sample *first);

/* Makes the row of a thread that ended, in join->sample. */
void window_make_exit(struct window_join *join, const struct window_exit *ended);

/* Sets the reason of all values that nobody can read any more. */
void window_set_gone(const struct window_join *join, struct thread_sample *sample);

/* Add a thread that ended without a record, by its row of the first reading; and sort all of them, once, before
 * window_number_lost(). */
void window_add_lost(struct window_join *join, uint32_t first);
void window_sort_lost(struct window_join *join);
void window_number_lost(struct window_join *join);

/* Returns whether there is one of a process whose start is known. Called behind window_sort_lost(). */
bool window_has_lost(const struct window_join *join, const struct thread_key *process);

/* Returns the next one of a process that is not written, or NULL. It counts as written from then on. */
struct window_lost *window_next_lost(struct window_join *join, const struct thread_key *process);

bool window_lost_is_written(const struct window_join *join, size_t at);

/* Sets the last name of its process, in join->sample, and what belongs to that. */
void window_set_lost_process(struct window_join *join, const struct window_lost *lost);

/* Makes the row of such a thread, in join->sample: it has no values. */
void window_make_lost(struct window_join *join, const struct window_lost *lost);

/* Copies what the next window needs of a reading's info, to @to, which the caller frees: all but the settings, which are compared
 * with those that a window has at its own begin, and sched_ext. */
void window_keep_info(const struct snapshot_info *from, struct snapshot_info *to);

/* Moves the rests of the window before to this one, and makes room for what the next one carries on. */
void window_begin_next(struct window_join *join, struct window_next *next);

/* Moves the last reading and the rests to the next window. */
void window_pass_last(struct window_join *join, struct window_next *next);

/* Adds to the window's numbers. */
void window_count(struct window_join *join, enum window_number number, uint64_t more);

/* Writes the cgroups of the window, and those that are gone: without values. Returns 0 or -errno. */
must_check_ int window_write_cgroups(struct window_join *join, struct snapshot_writer *writer);

/* Called behind it. */
void window_set_cgroups_lost(struct window_join *join);
