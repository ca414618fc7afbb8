// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads of the first reading that ended inside, and of whose end there is no record. Their work in the
 * window is unknown: their rows have their ids and names, and a reason in place of each value. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "window-join.h"

void window_add_lost(struct window_join *join, uint32_t first)
{
	const struct thread_key *key = thread_store_key(&join->first.threads, first);

	*array_add(join->lost, join->lost_count, join->lost_capacity) = (struct window_lost){
	        .tgid = key->tgid, .process_start = key->process_start_clock_ticks, .first = first};
}

/* The threads of a process follow each other in a reading. */
static int compare_lost(const void *a, const void *b)
{
	const struct window_lost *left = a, *right = b;

	if (left->tgid != right->tgid)
		return left->tgid < right->tgid ? -1 : 1;
	if (left->process_start != right->process_start)
		return left->process_start < right->process_start ? -1 : 1;
	return left->first < right->first ? -1 : left->first > right->first;
}

void window_sort_lost(struct window_join *join)
{
	if (join->lost_count > 0)
		qsort(join->lost, join->lost_count, sizeof(join->lost[0]), compare_lost);
}

void window_number_lost(struct window_join *join)
{
	window_count(join, WINDOW_threads_lost, join->lost_count);
	for (size_t i = 0; i < join->lost_count; i++)
		join->lost[i].unwritten = i;
}

/* Returns the index of the first thread at or behind @at that is not written; the number of threads if there is none. Each visit
 * shortens the way, so that many processes with one tgid do not take quadratic time. */
static size_t find_unwritten(const struct window_join *join, size_t at)
{
	while (at < join->lost_count && join->lost[at].unwritten != at) {
		size_t next = join->lost[at].unwritten;

		if (next < join->lost_count)
			join->lost[at].unwritten = join->lost[next].unwritten;
		at = next;
	}
	return at;
}

/* Returns the index of the first thread of the tgid whose process started at @start or later, or of one behind it. */
static size_t find_process(const struct window_join *join, uint32_t tgid, uint64_t start)
{
	size_t low = 0, high = join->lost_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct window_lost *lost = &join->lost[middle];

		if (lost->tgid < tgid || (lost->tgid == tgid && lost->process_start < start))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool window_has_lost(const struct window_join *join, const struct thread_key *process)
{
	uint64_t start = process->process_start_clock_ticks;
	size_t at = find_process(join, process->tgid, start);

	return at < join->lost_count && join->lost[at].tgid == process->tgid &&
	       join->lost[at].process_start == start;
}

/* Returns the first thread of the tgid that is not written, and whose process started at @start or later. */
static struct window_lost *find_lost(const struct window_join *join, uint32_t tgid, uint64_t start)
{
	size_t low = find_unwritten(join, find_process(join, tgid, start));

	return low < join->lost_count && join->lost[low].tgid == tgid ? &join->lost[low] : NULL;
}

/* A process whose start is not known may be any one with its tgid. */
struct window_lost *window_next_lost(struct window_join *join, const struct thread_key *process)
{
	const uint64_t starts[] = {process->process_start_clock_ticks, PROCESS_START_UNKNOWN};
	struct window_lost *lost = NULL;

	if (starts[0] == PROCESS_START_UNKNOWN)
		lost = find_lost(join, process->tgid, 0);
	for (size_t i = 0; i < ARRAY_SIZE(starts) && !lost; i++) {
		lost = find_lost(join, process->tgid, starts[i]);
		if (lost && lost->process_start != starts[i])
			lost = NULL;
	}
	if (lost)
		lost->unwritten = (size_t)(lost - join->lost) + 1;
	return lost;
}

bool window_lost_is_written(const struct window_join *join, size_t at)
{
	return join->lost[at].unwritten != at;
}

void window_make_lost(struct window_join *join, const struct window_lost *lost)
{
	struct thread_sample *sample = &join->sample;

	thread_store_get(&join->first.threads, lost->first, sample);
	sample_keep_run_time(sample);
	window_set_lost_process(join, lost);
	sample->window_part = WINDOW_PART_exited;
	sample->jemalloc_boottime_ns = sample->interval_ns = sample->life_ns = 0;
	sample->has_smaps = false;
	sample->seen = sample->malformed = sample->skipped = sample->impossible =
	        (struct metric_set){0};
	sample_forget_totals(sample);
	memset(sample->outcomes, 0, sizeof(sample->outcomes));
	window_set_gone(join, sample);
}
