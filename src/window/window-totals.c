// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct total_key {
	uint64_t process_start;
	uint64_t tgid;
};

static const struct window_total *find(const struct window_totals *totals, uint32_t tgid,
                                       uint64_t process_start)
{
	const struct total_key key = {process_start, tgid};
	uintptr_t place = (uintptr_t)strmap_get(&totals->places, (const char *)&key, sizeof(key));

	return place > 0 ? &totals->entries[place - 1] : NULL;
}

void window_totals_done(struct window_totals *totals)
{
	free(totals->entries);
	strmap_done(&totals->places);
	*totals = (struct window_totals){0};
}

/* Returns the process of the row, which is added if it is new. */
static struct window_total *find_or_add(struct window_totals *totals,
                                        const struct thread_sample *sample)
{
	const struct total_key key = {sample_process_start(sample), sample->tgid};
	struct strmap_entry *entry = strmap_add(&totals->places, (const char *)&key, sizeof(key));

	if (!entry->value) {
		*array_add(totals->entries, totals->count, totals->capacity) =
		        (struct window_total){.tgid = sample->tgid,
		                              .process_start = key.process_start};
		entry->value = (void *)(uintptr_t)totals->count;
	}
	return &totals->entries[(uintptr_t)entry->value - 1];
}

/* Rows of a process follow one another. */
static bool is_of_last(const struct window_totals *totals, const struct thread_sample *sample)
{
	const struct window_total *last;

	if (totals->count == 0)
		return false;
	last = &totals->entries[totals->count - 1];
	return last->tgid == sample->tgid && last->process_start == sample_process_start(sample);
}

void window_totals_add(struct window_totals *totals, const struct thread_sample *sample)
{
	struct window_total *total;

	if (!sample->has_process_totals) {
		if (!is_of_last(totals, sample))
			(void)find_or_add(totals, sample);
		return;
	}
	total = find_or_add(totals, sample);
	total->seen = sample->process_totals_seen;
	memcpy(total->values, sample->process_totals, sizeof(total->values));
}

/* Keeps those of @next alone. */
static void replace(struct window_totals *totals, struct window_totals *next)
{
	window_totals_done(totals);
	*totals = *next;
	*next = (struct window_totals){0};
}

static void keep(struct window_totals *totals, const struct window_total *total)
{
	const struct total_key key = {total->process_start, total->tgid};
	struct strmap_entry *entry = strmap_add(&totals->places, (const char *)&key, sizeof(key));

	if (!entry->value) {
		*array_add(totals->entries, totals->count, totals->capacity) = *total;
		entry->value = (void *)(uintptr_t)totals->count;
	}
	totals->entries[(uintptr_t)entry->value - 1] = *total;
}

void window_totals_join(struct window_totals *totals, struct window_totals *next, bool is_whole,
                        bool (*was_there)(const void *context, const struct thread_key *leader),
                        const void *context)
{
	for (size_t i = 0; i < next->count; i++) {
		struct window_total *total = &next->entries[i];
		const struct window_total *then = find(totals, total->tgid, total->process_start);
		const struct thread_key leader = {total->tgid, total->tgid, total->process_start,
		                                  total->process_start};

		/* Without the leader a missing total cannot be noticed. */
		if (!then && total->process_start != PROCESS_START_UNKNOWN &&
		    was_there(context, &leader))
			total->seen = 0;
		if (then) {
			total->seen &= then->seen;
			for (unsigned t = 0; t < PROCESS_TOTAL_COUNT; t++)
				saturating_add_to(&total->values[t], then->values[t]);
		}
		if (!is_whole)
			keep(totals, total);
	}
	if (is_whole)
		replace(totals, next);
	window_totals_done(next);
}

void window_totals_set(const struct window_totals *totals, struct thread_sample *sample)
{
	const struct window_total *total = find(totals, sample->tgid, sample_process_start(sample));

	if (!total || total->seen == 0)
		return;
	sample->has_process_totals = true;
	sample->process_totals_seen = total->seen;
	memcpy(sample->process_totals, total->values, sizeof(total->values));
}
