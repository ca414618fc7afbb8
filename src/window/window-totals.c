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

void window_totals_add(struct window_totals *totals, const struct thread_sample *sample)
{
	const struct total_key key = {sample_process_start(sample), sample->tgid};
	struct window_total *total = array_add(totals->entries, totals->count, totals->capacity);

	*total = (struct window_total){.tgid = sample->tgid,
	                               .process_start = key.process_start,
	                               .seen = sample->process_totals_seen};
	memcpy(total->values, sample->process_totals, sizeof(total->values));
	strmap_add(&totals->places, (const char *)&key, sizeof(key))->value =
	        (void *)(uintptr_t)totals->count;
}

/* Returns whether the leader of the process is in the reading; without it nobody knows of a total that is missing. */
static bool has_process(const struct window_reading *reading, const struct window_total *total)
{
	const struct thread_key leader = {total->tgid, total->tgid, total->process_start,
	                                  total->process_start};

	return total->process_start != PROCESS_START_UNKNOWN &&
	       window_reading_find(reading, &leader) != THREAD_STORE_NONE;
}

void window_totals_join(struct window_totals *next, const struct window_totals *so_far,
                        const struct window_reading *before)
{
	for (size_t i = 0; i < next->count; i++) {
		struct window_total *total = &next->entries[i];
		const struct window_total *then = find(so_far, total->tgid, total->process_start);

		if (!then && has_process(before, total))
			total->seen = 0;
		if (!then)
			continue;
		total->seen &= then->seen;
		for (unsigned t = 0; t < PROCESS_TOTAL_COUNT; t++)
			saturating_add_to(&total->values[t], then->values[t]);
	}
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
