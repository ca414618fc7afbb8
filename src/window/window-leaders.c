// SPDX-License-Identifier: GPL-2.0-or-later
/* The leaders of processes that ended: those that are of one process, since one took over the ids of another one, and the order of the
 * processes that had one tgid. */
#include "base/mem.h"
#include "window-join.h"

/* The true birth is no later than the one of a record, and the true end is no earlier than its arrival less the delay that it may have
 * had. */
bool window_took_over(const struct window_join *join, uint32_t record, uint32_t leader)
{
	const struct exit_note *note = &join->exits->notes[record];
	const struct exit_note *before = &join->exits->notes[leader];

	if (note->is_complete && before->is_complete)
		return note->born_boottime_ns == before->born_boottime_ns;
	return saturating_add(note->born_boottime_ns, before->late_ns) < before->exited_boottime_ns;
}

void window_find_leaders(struct window_join *join)
{
	const struct thread_store *records = &join->exits->records;

	join->leaders = mem_calloc((size_t)records->count + 1, sizeof(join->leaders[0]));
	for (uint32_t row = 0; row < records->count; row++) {
		const struct thread_key *key = thread_store_key(records, row);
		uint32_t before = thread_store_before(records, row), first = row;

		if (key->tid == key->tgid && before != THREAD_STORE_NONE &&
		    thread_store_key(records, before)->tgid == key->tgid &&
		    !join->exits->notes[row].is_complete &&
		    !join->exits->notes[before].is_complete && window_took_over(join, row, before))
			first = join->leaders[before].first;
		join->leaders[row].first = first;
		join->leaders[first].last = row;
	}
}

const struct thread_key *window_leader_key(const struct window_join *join, uint32_t record)
{
	return thread_store_key(&join->exits->records, join->leaders[record].first);
}

/* Returns the leader of the last reading that was born before a record with its ids was written, or NULL: it has taken over these. */
static const struct thread_key *living_taker(const struct window_join *join, uint32_t tgid,
                                             const struct exit_note *note)
{
	const struct thread_store *threads = &join->last.threads;
	uint32_t row = thread_store_find(threads, tgid);

	for (; row != THREAD_STORE_NONE; row = thread_store_before(threads, row)) {
		const struct thread_key *key = thread_store_key(threads, row);
		uint64_t born_by = window_tick_begin(join, key->start_time_clock_ticks + 1);

		if (key->tgid == tgid &&
		    saturating_add(born_by, note->late_ns) < note->exited_boottime_ns)
			return key;
	}
	return NULL;
}

void window_set_leader(const struct window_join *join, struct window_exit *ended)
{
	uint32_t first = join->leaders[ended->record].first, last = join->leaders[first].last;
	const struct thread_key *living =
	        living_taker(join, ended->tgid, &join->exits->notes[last]);

	ended->is_taker = first != ended->record;
	if (living)
		ended->process_start = living->start_time_clock_ticks;
	else if (last != first)
		ended->leader_record = last + 1;
}

/* The threads that ended of one process. */
struct process_ends {
	struct window_exit *ended; /* borrowed */
	size_t count;
};

/* Returns the last of the processes in an array that is sorted. */
static struct process_ends last_process(struct window_exit *ended, size_t count)
{
	size_t at = count - 1;

	while (at > 0 && ended[at - 1].process_born_ns == ended[count - 1].process_born_ns)
		at--;
	return (struct process_ends){ended + at, count - at};
}

/* Returns whether a process, its leader and all its known threads, ended in the tick in which it started. Otherwise no
 * other process with its id can have started in that tick. */
static bool ended_in_its_tick(const struct window_join *join, const struct process_ends *process)
{
	uint64_t start = process->ended[0].process_start;

	for (size_t i = 0; i < process->count; i++) {
		const struct exit_note *note = &join->exits->notes[process->ended[i].record];

		if (note->exited_boottime_ns > note->late_ns &&
		    window_tick_of(join, note->exited_boottime_ns - note->late_ns) > start)
			return false;
	}
	return process->ended[0].is_leader;
}

static void set_successors(const struct process_ends *process, uint32_t successors,
                           bool may_be_live)
{
	for (size_t i = 0; i < process->count; i++) {
		process->ended[i].successors = successors;
		process->ended[i].is_live = process->ended[i].is_live && successors == 0;
		process->ended[i].may_be_live = may_be_live;
	}
}

/* Does so for records that do not have the birth of the process: each leader counts as one of another process, with those that took
 * over its ids, if all of them ended in its first tick. All other threads are of the last process. */
static void number_leaders(const struct window_join *join, const struct process_ends *unknown,
                           bool is_live, uint32_t successors)
{
	size_t takers = 0;

	for (size_t i = unknown->count; i-- > 0;) {
		struct process_ends leader = {&unknown->ended[i], 1 + takers};

		if (!leader.ended->is_leader)
			continue;
		if (leader.ended->is_taker) {
			takers++;
			continue;
		}
		takers = 0;
		successors += is_live && successors == 0;
		if (ended_in_its_tick(join, &leader))
			set_successors(&leader, successors++, is_live);
		else if (successors == 0)
			successors = 1;
	}
}

/* Numbers the processes with one tgid that started in one tick: @count ended threads, sorted. The last one may be the
 * process of the last reading. Then its leader has a record only if another thread executed a program and took over the
 * leader's ids. If that was in the same tick, this process cannot be distinguished from a predecessor. */
static void number_processes(const struct window_join *join, struct window_exit *ended,
                             size_t count)
{
	bool is_live = ended[0].is_live;
	uint32_t successors = 0;

	while (count > 0) {
		struct process_ends process = last_process(ended, count);
		bool may_be_live = is_live && successors == 0 && ended_in_its_tick(join, &process);

		count -= process.count;
		if (process.ended[0].process_born_ns == 0) {
			number_leaders(join, &process, is_live, successors);
			return;
		}
		successors += may_be_live;
		set_successors(&process, successors++, may_be_live);
	}
}

void window_number_processes(struct window_join *join)
{
	size_t end;

	for (size_t begin = 0; begin < join->ended_count; begin = end) {
		const struct window_exit *first = &join->ended[begin];

		for (end = begin + 1; end < join->ended_count; end++)
			if (join->ended[end].tgid != first->tgid ||
			    join->ended[end].process_start != first->process_start)
				break;
		if (first->process_start != PROCESS_START_UNKNOWN)
			number_processes(join, &join->ended[begin], end - begin);
	}
}
