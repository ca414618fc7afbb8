// SPDX-License-Identifier: GPL-2.0-or-later
/* This file finds the thread of each exit record. Ids are used again, also inside a window, so a tid alone does not
 * decide. These facts do:
 *
 * - Lives with the same tid do not overlap, and their records come in order of death, so also in order of birth.
 * - A thread of a reading was alive when that reading of its process began, or was born afterwards, in its tick of
 *   birth: from then on it was alive. A record of an end before that is not its own.
 * - A complete record has the birth, so it is of the same tick as the thread's, or of another thread. The kernel's record
 *   alone has the length of the life, and its time of arrival is recorded: the birth computed from these is no earlier
 *   than the true one, and later by as much as the record was late, at most since the last reading of the socket. So a
 *   record that seems born before the thread's tick is of a predecessor, while one that seems born later may be of the
 *   thread itself, if the record was late, or of a successor, if the thread's own was lost.
 * A record that seems born by the time that the thread was alive for certain is the thread's: its successors were born
 * after that. If there are several, all but the last are of predecessors; but if they all lie in one tick they cannot
 * be distinguished. A record that seems born later than its delay allows is of a successor. Any other record is taken
 * as the thread's own only if no record was lost, and if it is late by a tick at most or the only one of its id,
 * however long we had to wait for a CPU. A record that remains in doubt is not used: the thread is lost, and the record
 * left out, because counting it as a life of its own would be wrong by all the earlier work of the thread.
 * A thread can also end in another way: another thread of its process that executes a program takes over the leader's
 * ids and birth. Then the leader has a record although there is a thread with all its ids in the last reading, whose
 * counters are those of another thread. If that thread ends as well, two records have the same ids and birth: the first
 * one is the leader's. The exec ended all other threads of the process, so the one that executed the program is the only
 * thread of the first reading that is neither in the last one nor has a record under its own ids. If records were lost,
 * or there are several, its counters are unknown, and its own record is in doubt. If there is no such thread, it was born
 * inside, and its record has its work. The record of a
 * leader that had ended before the window is older than that, so one with its ids is of the thread that took them over. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "window-join.h"

enum record_use {
	RECORD_OF_NOBODY,
	RECORD_OF_LAST,   /* of a thread that ended after the last reading of it */
	RECORD_OF_ZOMBIE, /* of a thread that had ended when it was read last */
	RECORD_OF_FIRST,  /* of a thread of the first reading */
	RECORD_OF_TAKER, /* of a thread that took over the ids of its leader; unless it is found, in doubt */
	RECORD_IN_DOUBT,
};

struct matching {
	struct window_join *join;
	const struct thread_store *records;
	unsigned char *uses; /* enum record_use by record; owned */
	uint32_t *of_tid;    /* the records of one tid, in order of death; owned */
	size_t of_tid_count, of_tid_capacity;
};

/* Returns the time since when a thread of a reading was alive. */
static uint64_t alive_from(const struct window_join *join, const struct thread_key *key,
                           uint64_t read_ns)
{
	uint64_t born_by = window_tick_begin(join, key->start_time_clock_ticks + 1);

	return born_by > read_ns ? born_by : read_ns;
}

/* Returns whether a record can be of the end of a thread that was read then. */
static bool can_be_of(const struct matching *matching, uint32_t record,
                      const struct thread_key *key, uint64_t read_ns)
{
	const struct exit_note *note = &matching->join->exits->notes[record];
	const struct thread_key *own = thread_store_key(matching->records, record);
	uint64_t seems_born = window_tick_of(matching->join, note->born_boottime_ns);

	if (note->has_tgid && own->tgid != key->tgid)
		return false;
	if (note->is_complete && !thread_key_same_process(own, key))
		return false;
	if (note->exited_boottime_ns < read_ns)
		return false;
	return note->is_complete ? seems_born == key->start_time_clock_ticks
	                         : seems_born >= key->start_time_clock_ticks;
}

static void collect(struct matching *matching, uint32_t tid)
{
	const struct thread_store *records = matching->records;
	size_t count = 0, at;
	uint32_t last = thread_store_find(records, tid);

	for (uint32_t row = last; row != THREAD_STORE_NONE; row = thread_store_before(records, row))
		count++;
	array_reserve(matching->of_tid, matching->of_tid_capacity, count);
	matching->of_tid_count = at = count;
	for (uint32_t row = last; row != THREAD_STORE_NONE; row = thread_store_before(records, row))
		matching->of_tid[--at] = row;
}

/* Returns whether a thread had ended when it was read, and only waited for its parent. */
static bool was_zombie(struct window_join *join, const struct window_reading *reading, uint32_t row)
{
	thread_store_get(&reading->threads, row, &join->other);
	return sample_has_ended(&join->other);
}

/* Marks the records of threads that the last reading has as well: they ended after it, or before it and were still
 * there as zombies. The ids of a zombie have had no other thread since, so the last end is its own. */
static void mark_last(struct matching *matching)
{
	struct window_join *join = matching->join;
	const struct thread_store *threads = &join->last.threads;

	for (uint32_t row = 0; row < threads->count; row++) {
		const struct thread_key *key = thread_store_key(threads, row);
		uint64_t read_ns = window_read_time(&join->last, thread_store_time(threads, row));
		uint32_t record = thread_store_find(matching->records, key->tid);

		if (record != THREAD_STORE_NONE && was_zombie(join, &join->last, row) &&
		    can_be_of(matching, record, key, 0))
			matching->uses[record] = RECORD_OF_ZOMBIE;
		for (; record != THREAD_STORE_NONE;
		     record = thread_store_before(matching->records, record))
			if (can_be_of(matching, record, key, read_ns))
				matching->uses[record] = RECORD_OF_LAST;
	}
}

/* Judges a record that seems to be born after its thread was alive for certain. */
static uint32_t judge_late(struct matching *matching, uint64_t alive_ns, uint32_t record)
{
	const struct window_join *join = matching->join;
	const struct exit_note *note = &join->exits->notes[record];
	uint64_t late_ns = note->born_boottime_ns - alive_ns;

	if (note->is_complete || late_ns > note->late_ns)
		return THREAD_STORE_NONE;
	if (join->exits->overruns == 0 && (matching->of_tid_count == 1 || late_ns <= join->tick_ns))
		return record;
	matching->uses[record] = RECORD_IN_DOUBT;
	return THREAD_STORE_NONE;
}

/* Returns the record of the end of a thread of the first reading, or THREAD_STORE_NONE. */
static uint32_t find_end(struct matching *matching, const struct thread_key *key, uint64_t read_ns)
{
	const struct window_join *join = matching->join;
	uint64_t alive_ns = alive_from(join, key, read_ns);
	bool in_one_tick = alive_ns > read_ns, in_doubt = false;
	uint32_t chosen = THREAD_STORE_NONE;

	collect(matching, key->tid);
	for (size_t i = 0; i < matching->of_tid_count; i++) {
		uint32_t record = matching->of_tid[i];

		if (matching->uses[record] != RECORD_OF_NOBODY ||
		    !can_be_of(matching, record, key, read_ns))
			continue;
		if (join->exits->notes[record].born_boottime_ns > alive_ns) {
			if (chosen == THREAD_STORE_NONE)
				chosen = judge_late(matching, alive_ns, record);
			break;
		}
		if (chosen != THREAD_STORE_NONE && window_took_over(join, record, chosen)) {
			matching->uses[record] = RECORD_OF_TAKER;
			continue;
		}
		if (chosen != THREAD_STORE_NONE && in_one_tick) {
			matching->uses[chosen] = matching->uses[record] = RECORD_IN_DOUBT;
			in_doubt = true;
		}
		chosen = record;
	}
	return in_doubt ? THREAD_STORE_NONE : chosen;
}

static void add_ended(struct window_join *join, uint32_t record, uint32_t first)
{
	const struct thread_key *own = thread_store_key(&join->exits->records, record);

	join->ended[join->ended_count++] = (struct window_exit){
	        .record = record,
	        .first = first,
	        .former_leader = THREAD_STORE_NONE,
	        .tgid = first == THREAD_STORE_NONE
	                        ? own->tgid
	                        : thread_store_key(&join->first.threads, first)->tgid,
	};
}

/* Returns whether a thread is a leader that had ended when it was read first, and there are records with its tid. */
static bool is_zombie_leader(struct matching *matching, const struct thread_key *key, uint32_t row)
{
	return key->tid == key->tgid &&
	       thread_store_find(matching->records, key->tid) != THREAD_STORE_NONE &&
	       was_zombie(matching->join, &matching->join->first, row);
}

/* Finds the ends of leaders that had ended when they were read first, whose ids may have a record of another thread, or else those of
 * all other threads. */
static void match_first(struct matching *matching, bool zombies)
{
	struct window_join *join = matching->join;
	const struct thread_store *threads = &join->first.threads;

	for (uint32_t row = 0; row < threads->count; row++) {
		const struct thread_key *key = thread_store_key(threads, row);
		uint64_t read_ns = window_read_time(&join->first, thread_store_time(threads, row));
		uint32_t record;

		if ((join->in_last[row] && key->tid != key->tgid) ||
		    zombies != is_zombie_leader(matching, key, row))
			continue;
		record = find_end(matching, key, read_ns);
		if (record == THREAD_STORE_NONE) {
			if (!join->in_last[row] && !was_zombie(join, &join->first, row))
				window_add_lost(join, row);
			continue;
		}
		if (join->in_last[row])
			join->replaced[window_reading_find(&join->last, key)] = true;
		if (zombies && window_is_of_taker(join, row, record)) {
			matching->uses[record] = RECORD_OF_TAKER;
			continue;
		}
		matching->uses[record] = RECORD_OF_FIRST;
		add_ended(join, record, row);
		window_count(join, WINDOW_threads_exited, 1);
	}
}

/* Returns how many records there are of threads that took over the ids of the leader, and stores the last one. */
static unsigned takers_of(struct matching *matching, uint32_t tgid, uint32_t *ret_record)
{
	unsigned count = 0;

	collect(matching, tgid);
	for (size_t i = 0; i < matching->of_tid_count; i++) {
		if (matching->uses[matching->of_tid[i]] != RECORD_OF_TAKER)
			continue;
		*ret_record = matching->of_tid[i];
		count++;
	}
	return count;
}

/* Returns whether the only thread without a record of its process has taken over the ids of the leader. */
static bool took_ids(struct matching *matching, const struct window_lost *lost)
{
	struct window_join *join = matching->join;
	const struct thread_key leader = {lost->tgid, lost->tgid, lost->process_start,
	                                  lost->process_start};
	uint32_t row, record = 0;
	unsigned ended;

	if (lost->process_start == PROCESS_START_UNKNOWN ||
	    thread_store_key(&join->first.threads, lost->first)->tid == lost->tgid)
		return false;
	row = window_reading_find(&join->last, &leader);
	ended = takers_of(matching, lost->tgid, &record);
	if (row != THREAD_STORE_NONE && ended == 0 &&
	    window_leader_is_replaced(join, &leader, row)) {
		join->replaced[row] = true;
		join->takers[row] = lost->first + 1;
		return true;
	}
	if (row != THREAD_STORE_NONE || ended != 1)
		return false;
	matching->uses[record] = RECORD_OF_FIRST;
	add_ended(join, record, lost->first);
	window_count(join, WINDOW_threads_exited, 1);
	return true;
}

/* Finds the threads that took over the ids of their leaders among those without a record. */
static void match_takers(struct matching *matching)
{
	struct window_join *join = matching->join;
	bool all_heard = window_exits_are_known(join->exits->exits) && join->exits->overruns == 0;
	const struct thread_store *threads = &join->first.threads;
	size_t kept = 0;

	for (size_t begin = 0, end; begin < join->lost_count; begin = end) {
		const struct window_lost *lost = &join->lost[begin];

		for (end = begin + 1; end < join->lost_count; end++)
			if (!thread_key_same_process(
			            thread_store_key(threads, join->lost[end].first),
			            thread_store_key(threads, lost->first)))
				break;
		if (all_heard && end - begin == 1 && took_ids(matching, lost))
			continue;
		for (size_t i = begin; i < end; i++)
			join->lost[kept++] = join->lost[i];
	}
	join->lost_count = kept;
	window_number_lost(join);
}

/* The record of an end that the window behind this one has. */
static void pass_on(struct window_join *join, uint32_t record)
{
	struct thread_sample *sample = &join->sample;

	if (!join->next_exits)
		return;
	thread_store_get(&join->exits->records, record, sample);
	exit_log_add(join->next_exits, sample, &join->exits->notes[record]);
}

/* Returns the row of the first reading of the leader whose ids a thread took over, if no other thread of the process can have done so:
 * all of the first reading have a record, or are in the last one. Else THREAD_STORE_NONE. */
static uint32_t former_leader(const struct window_join *join, uint32_t record)
{
	const struct thread_store *threads = &join->first.threads;
	uint32_t tgid = thread_store_key(&join->exits->records, record)->tgid;
	uint32_t row = thread_store_find(threads, tgid);

	if (row == THREAD_STORE_NONE || thread_store_before(threads, row) != THREAD_STORE_NONE ||
	    window_has_lost(join, thread_store_key(threads, row)))
		return THREAD_STORE_NONE;
	return row;
}

/* Adds the thread of a record that took over the ids of its leader. Returns false if it is not known which thread did so. */
static bool add_born_taker(struct window_join *join, uint32_t record)
{
	uint32_t leader = former_leader(join, record);

	if (leader == THREAD_STORE_NONE)
		return false;
	add_ended(join, record, THREAD_STORE_NONE);
	join->ended[join->ended_count - 1].former_leader = leader;
	window_count(join, WINDOW_threads_passed, 1);
	return true;
}

/* The remaining records are of threads that were born inside, or are not of the window. */
static void match_rest(struct matching *matching)
{
	struct window_join *join = matching->join;

	for (uint32_t record = 0; record < matching->records->count; record++) {
		const struct exit_note *note = &join->exits->notes[record];

		if (matching->uses[record] == RECORD_OF_LAST)
			pass_on(join, record);
		if (matching->uses[record] == RECORD_OF_LAST ||
		    matching->uses[record] == RECORD_OF_ZOMBIE ||
		    matching->uses[record] == RECORD_OF_FIRST)
			continue;
		/* The listener begins before the window. */
		if (note->exited_boottime_ns < join->begin_ns)
			continue;
		if (matching->uses[record] == RECORD_OF_TAKER && add_born_taker(join, record))
			continue;
		if (matching->uses[record] == RECORD_OF_TAKER ||
		    matching->uses[record] == RECORD_IN_DOUBT ||
		    note->born_boottime_ns < join->begin_ns) {
			window_count(join, WINDOW_exits_left_out, 1);
		} else if (note->born_boottime_ns <= join->end_ns) {
			add_ended(join, record, THREAD_STORE_NONE);
			window_count(join, WINDOW_threads_passed, 1);
		} else {
			join->exits_behind++;
			pass_on(join, record);
		}
	}
}

/* Returns the birth of the leader that a process of this tgid had when one of its threads was born, as far as it is not
 * younger than @best; the birth of the thread is exact to @slack ticks. */
static bool leader_of(const struct thread_store *threads, uint32_t tgid, uint64_t born,
                      uint64_t slack, uint64_t *best)
{
	uint32_t row = thread_store_find(threads, tgid);
	bool found = false;

	for (; row != THREAD_STORE_NONE; row = thread_store_before(threads, row)) {
		const struct thread_key *key = thread_store_key(threads, row);

		if (key->tgid != tgid || key->start_time_clock_ticks > born + slack ||
		    key->start_time_clock_ticks < *best)
			continue;
		*best = key->start_time_clock_ticks;
		found = true;
	}
	return found;
}

static bool has_leader(const struct window_reading *reading, uint32_t tgid, uint64_t born)
{
	const struct thread_key leader = {tgid, tgid, born, born};

	return window_reading_find(reading, &leader) != THREAD_STORE_NONE;
}

/* Guesses the process of a thread without a recorded start time: of all processes that had the tgid, the last that is
 * no younger than the thread. If the leader of the process in the last reading is younger, it is another process. */
static void guess_process(struct window_join *join, struct window_exit *ended, uint64_t born,
                          uint64_t slack)
{
	const struct thread_store *last = &join->last.threads;
	uint64_t best = 0, youngest = 0;
	bool known = leader_of(&join->exits->records, ended->tgid, born, slack, &best);

	known = leader_of(&join->first.threads, ended->tgid, born, slack, &best) || known;
	ended->is_live = leader_of(last, ended->tgid, born, slack, &best);
	known = known || ended->is_live;
	ended->process_start = known ? best : PROCESS_START_UNKNOWN;
	if (!known)
		ended->is_live = !leader_of(last, ended->tgid, UINT64_MAX, 0, &youngest);
}

static void keep_nearer(uint64_t start, uint64_t process_start, uint64_t earliest, uint64_t latest,
                        uint64_t *best)
{
	uint64_t distance = start > process_start ? start - process_start : process_start - start;
	uint64_t before = *best > process_start ? *best - process_start : process_start - *best;

	if (start >= earliest && start <= latest &&
	    (*best == PROCESS_START_UNKNOWN || distance < before))
		*best = start;
}

/* A start time computed from a record is later than the true one by the delay of the record. The true one is that of
 * the nearest leader with this tgid that was read, else that of the leader's record. */
static uint64_t nearest_leader(const struct window_join *join, uint32_t tgid,
                               const struct exit_note *note, uint64_t process_start)
{
	const struct thread_store *stores[] = {&join->last.threads, &join->first.threads,
	                                       &join->exits->records};
	uint64_t late_ticks = note->late_ns / join->tick_ns + 1;
	uint64_t earliest = process_start > late_ticks ? process_start - late_ticks : 0;
	uint64_t best = PROCESS_START_UNKNOWN;

	for (size_t i = 0; i < ARRAY_SIZE(stores); i++) {
		bool is_record = stores[i] == &join->exits->records;
		uint32_t row = thread_store_find(stores[i], tgid);

		if (is_record && best != PROCESS_START_UNKNOWN)
			break;
		for (; row != THREAD_STORE_NONE; row = thread_store_before(stores[i], row)) {
			const struct thread_key *key = is_record ? window_leader_key(join, row)
			                                         : thread_store_key(stores[i], row);
			uint64_t late_ns = is_record ? join->exits->notes[row].late_ns : 0;

			if (key->tgid == tgid)
				keep_nearer(key->start_time_clock_ticks, process_start, earliest,
				            process_start + late_ns / join->tick_ns + 1, &best);
		}
	}
	return best == PROCESS_START_UNKNOWN ? process_start : best;
}

/* Finds the process of a thread that ended. */
static void place(struct window_join *join, struct window_exit *ended)
{
	const struct thread_key *own = window_leader_key(join, ended->record);
	const struct exit_note *note = &join->exits->notes[ended->record];
	bool was_read = ended->first != THREAD_STORE_NONE;
	const struct thread_key *key =
	        was_read ? thread_store_key(&join->first.threads, ended->first) : own;
	bool is_exact = was_read || note->is_complete;

	ended->is_leader = key->tid == ended->tgid;
	ended->process_born_ns = note->is_complete ? note->process_born_boottime_ns : 0;
	if (own->tid == ended->tgid && note->is_complete)
		ended->process_born_ns = note->born_boottime_ns;
	ended->process_start = key->process_start_clock_ticks;
	if (!is_exact && ended->is_leader)
		window_set_leader(join, ended);
	if (ended->former_leader != THREAD_STORE_NONE)
		ended->process_start = thread_store_key(&join->first.threads, ended->former_leader)
		                               ->process_start_clock_ticks;
	if (ended->process_start == PROCESS_START_UNKNOWN) {
		guess_process(join, ended, key->start_time_clock_ticks, is_exact ? 0 : 1);
		return;
	}
	if (!is_exact && !ended->is_leader)
		ended->process_start =
		        nearest_leader(join, ended->tgid, note, ended->process_start);
	ended->is_live = has_leader(&join->last, ended->tgid, ended->process_start);
}

static int compare_ended(const void *a, const void *b)
{
	const struct window_exit *left = a, *right = b;

	if (left->tgid != right->tgid)
		return left->tgid < right->tgid ? -1 : 1;
	if (left->process_start != right->process_start)
		return left->process_start < right->process_start ? -1 : 1;
	if (left->process_born_ns != right->process_born_ns)
		return left->process_born_ns < right->process_born_ns ? -1 : 1;
	if (left->is_leader != right->is_leader)
		return left->is_leader ? -1 : 1;
	return left->record < right->record ? -1 : left->record > right->record;
}

void window_find_exits(struct window_join *join)
{
	struct matching matching = {.join = join, .records = &join->exits->records};
	uint32_t count = join->exits->records.count;

	matching.uses = mem_calloc((size_t)count + 1, sizeof(matching.uses[0]));
	join->ended = mem_calloc((size_t)count + 1, sizeof(join->ended[0]));
	mark_last(&matching);
	match_first(&matching, false);
	window_sort_lost(join);
	match_first(&matching, true);
	match_takers(&matching);
	match_rest(&matching);
	window_find_leaders(join);
	for (size_t i = 0; i < join->ended_count; i++)
		place(join, &join->ended[i]);
	if (join->ended_count > 0)
		qsort(join->ended, join->ended_count, sizeof(join->ended[0]), compare_ended);
	window_number_processes(join);
	window_settle_processes(join);
	free(matching.uses);
	free(matching.of_tid);
}
