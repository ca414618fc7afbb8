// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads of the first reading that ended inside, and of whose end there is no record. Nobody knows what they did in the
 * window. Their rows say who they were, with a reason in place of each value. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "window-join.h"

void window_add_lost(struct window_join *join, uint32_t first)
{
	const struct thread_key *key = thread_store_key(&join->first.threads, first);

	*array_add(join->lost, join->lost_count, join->lost_capacity) =
	        (struct window_lost){.tgid = key->tgid, .first = first};
}

/* The threads of a process follow each other in a reading. */
static int compare_lost(const void *a, const void *b)
{
	const struct window_lost *left = a, *right = b;

	if (left->tgid != right->tgid)
		return left->tgid < right->tgid ? -1 : 1;
	return left->first < right->first ? -1 : left->first > right->first;
}

void window_sort_lost(struct window_join *join)
{
	if (join->lost_count > 0)
		qsort(join->lost, join->lost_count, sizeof(join->lost[0]), compare_lost);
}

struct window_lost *window_next_lost(struct window_join *join, const struct thread_key *process)
{
	size_t low = 0, high = join->lost_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (join->lost[middle].tgid < process->tgid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < join->lost_count && join->lost[low].tgid == process->tgid; low++) {
		struct window_lost *lost = &join->lost[low];

		if (!lost->is_written &&
		    thread_key_same_process(thread_store_key(&join->first.threads, lost->first),
		                            process))
			return lost;
	}
	return NULL;
}

void window_make_lost(struct window_join *join, const struct window_lost *lost)
{
	struct thread_sample *sample = &join->sample;

	thread_store_get(&join->first.threads, lost->first, sample);
	sample_keep_run_time(sample);
	sample->window_part = WINDOW_PART_exited;
	sample->jemalloc_boottime_ns = sample->interval_ns = sample->life_ns = 0;
	sample->has_smaps = false;
	sample->seen = sample->malformed = sample->skipped = sample->impossible =
	        (struct metric_set){0};
	sample_forget_totals(sample);
	memset(sample->outcomes, 0, sizeof(sample->outcomes));
	window_set_gone(join, sample);
}
