// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's record of a thread that is not a leader does not name its process. It has the tgid and the age of the
 * process, so the start time of the process is known as exactly as the time of the exit: the record may be late. If a
 * program chooses ids, several processes can have one tgid within that time. The thread is of the only one that started
 * in it; if there are several with different names, its process is unknown. */
#include <stdlib.h>
#include <string.h>

#include "window-join.h"

/* A process that had the tgid, by its leader. */
struct life {
	const struct thread_store *store; /* where the leader's name is; borrowed */
	uint32_t row;
	bool is_record;
	bool is_live;
	uint64_t start_clock_ticks;
	uint32_t successors;
	uint64_t earliest_ns, latest_ns; /* CLOCK_BOOTTIME between which it started */
};

/* The processes in which an ended thread can have been. */
struct candidates {
	const struct window_join *join;
	uint64_t earliest_ns, latest_ns; /* between which the thread's process started */
	struct life first;
	unsigned count;
	bool any_live, names_differ;
};

static uint64_t minus(uint64_t time_ns, uint64_t less_ns)
{
	return time_ns > less_ns ? time_ns - less_ns : 0;
}

static void copy_name(const struct life *life, struct strbuf *ret_name)
{
	cleanup_(sample_done) struct thread_sample leader = {0};
	const struct strbuf *name;

	thread_store_get(life->store, life->row, &leader);
	name = life->is_record ? &leader.comm : &leader.pcomm;
	strbuf_add(ret_name, strbuf_str(name), name->len);
}

static bool names_differ(const struct life *a, const struct life *b)
{
	cleanup_(strbuf_done) struct strbuf name_a = STRBUF_INIT, name_b = STRBUF_INIT;

	copy_name(a, &name_a);
	copy_name(b, &name_b);
	return name_a.len != name_b.len ||
	       memcmp(strbuf_str(&name_a), strbuf_str(&name_b), name_a.len) != 0;
}

static void consider(struct candidates *candidates, const struct life *life)
{
	if (life->latest_ns < candidates->earliest_ns || life->earliest_ns > candidates->latest_ns)
		return;
	if (candidates->count++ == 0)
		candidates->first = *life;
	else
		candidates->names_differ =
		        candidates->names_differ || names_differ(&candidates->first, life);
	candidates->any_live = candidates->any_live || life->is_live;
}

/* Adds the leaders of a reading; of the first one only those that are not in the last one, and that have no record. */
static void consider_reading(struct candidates *candidates, uint32_t tgid, bool is_last)
{
	const struct window_join *join = candidates->join;
	const struct thread_store *threads = is_last ? &join->last.threads : &join->first.threads;
	uint32_t row = thread_store_find(threads, tgid);

	for (; row != THREAD_STORE_NONE; row = thread_store_before(threads, row)) {
		const struct thread_key *key = thread_store_key(threads, row);
		struct life life = {.store = threads,
		                    .row = row,
		                    .is_live = is_last,
		                    .start_clock_ticks = key->start_time_clock_ticks};

		if (key->tgid != tgid || (!is_last && join->in_last[row]))
			continue;
		life.earliest_ns = window_tick_begin(join, life.start_clock_ticks);
		life.latest_ns = window_tick_begin(join, life.start_clock_ticks + 1);
		consider(candidates, &life);
	}
}

/* Adds the leaders that ended, and were not read before. @ended has the @count threads of one tgid that ended. */
static void consider_records(struct candidates *candidates, const struct window_exit *ended,
                             size_t count)
{
	const struct exit_log *exits = candidates->join->exits;

	for (size_t i = 0; i < count; i++) {
		const struct exit_note *note = &exits->notes[ended[i].record];
		struct life life = {.store = &exits->records,
		                    .row = ended[i].record,
		                    .is_record = true,
		                    .start_clock_ticks = ended[i].process_start,
		                    .successors = ended[i].successors,
		                    .latest_ns = note->born_boottime_ns};

		/* One that lives on is in the last reading. */
		if (!ended[i].is_leader || ended[i].first != THREAD_STORE_NONE ||
		    ended[i].is_taker || (ended[i].is_live && ended[i].successors == 0))
			continue;
		if (ended[i].leader_record > 0)
			life.row = ended[i].leader_record - 1;
		life.earliest_ns = minus(note->born_boottime_ns, note->late_ns);
		consider(candidates, &life);
	}
}

/* Finds the process of one thread. */
static void settle(const struct window_join *join, struct window_exit *ended, size_t count,
                   struct window_exit *thread)
{
	const struct exit_note *note = &join->exits->notes[thread->record];
	struct candidates candidates = {
	        .join = join,
	        .earliest_ns = minus(note->process_born_boottime_ns, note->late_ns),
	        .latest_ns = note->process_born_boottime_ns};

	consider_reading(&candidates, thread->tgid, true);
	consider_reading(&candidates, thread->tgid, false);
	consider_records(&candidates, ended, count);
	if (candidates.count == 1) {
		thread->process_start = candidates.first.start_clock_ticks;
		thread->successors = candidates.first.successors;
		thread->is_live = candidates.first.is_live;
		thread->leader_record = candidates.first.is_record ? candidates.first.row + 1 : 0;
	} else if (candidates.names_differ) {
		thread->is_ambiguous = true;
		thread->successors = UINT32_MAX;
		thread->is_live = false;
		thread->may_be_live = candidates.any_live;
	}
}

/* Orders ended threads by process, the leader first. */
static int compare_processes(const void *a, const void *b)
{
	const struct window_exit *left = a, *right = b;

	if (left->tgid != right->tgid)
		return left->tgid < right->tgid ? -1 : 1;
	if (left->process_start != right->process_start)
		return left->process_start < right->process_start ? -1 : 1;
	if (left->successors != right->successors)
		return left->successors > right->successors ? -1 : 1;
	if (left->is_leader != right->is_leader)
		return left->is_leader ? -1 : 1;
	return left->record < right->record ? -1 : left->record > right->record;
}

/* Each tgid is a range of join->ended. */
void window_settle_processes(struct window_join *join)
{
	size_t end;

	for (size_t begin = 0; begin < join->ended_count; begin = end) {
		struct window_exit *ended = &join->ended[begin];

		for (end = begin + 1; end < join->ended_count; end++)
			if (join->ended[end].tgid != ended->tgid)
				break;
		for (size_t i = 0; i < end - begin; i++) {
			const struct exit_note *note = &join->exits->notes[ended[i].record];

			if (!ended[i].is_leader && ended[i].first == THREAD_STORE_NONE &&
			    !note->is_complete && note->process_born_boottime_ns > 0)
				settle(join, ended, end - begin, &ended[i]);
		}
	}
	if (join->ended_count > 0)
		qsort(join->ended, join->ended_count, sizeof(join->ended[0]), compare_processes);
}
