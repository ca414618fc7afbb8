// SPDX-License-Identifier: GPL-2.0-or-later
#include "host-series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

void host_series_init(struct host_series *series, const struct database_list *list,
                      const unsigned char *uses)
{
	size_t count = list->host_count > 0 ? list->host_count : 1;

	*series = (struct host_series){.list = list, .uses = uses};
	for (unsigned use = USE_FIRST; use < USE_COUNT; use++)
		series->sums[use] = mem_calloc(count, sizeof(series->sums[use][0]));
}

void host_series_done(struct host_series *series)
{
	for (unsigned use = 0; use < USE_COUNT; use++)
		free(series->sums[use]);
}

void host_series_clear(struct host_series *series)
{
	series->has_facts = false;
	for (unsigned use = USE_FIRST; use < USE_COUNT; use++)
		memset(series->sums[use], 0,
		       series->list->host_count * sizeof(series->sums[use][0]));
}

void host_series_add(struct host_series *series, const struct database_fact *fact)
{
	const struct database_snapshot *file;
	struct host_series_sum *sum;

	if (fact->snapshot >= series->list->snapshot_count ||
	    series->uses[fact->snapshot] == USE_NOTHING)
		return;
	file = &series->list->snapshots[fact->snapshot];
	sum = &series->sums[series->uses[fact->snapshot]][file->host];
	series->has_facts = true;
	sum->files++;
	sum->seconds += (double)file->length_ns / NS_PER_SECOND;
	sum->is_partial |= fact->seen < fact->threads;
	/* A group of exited threads alone has their work, and no thread. */
	if (!fact->has_sum && (fact->threads > 0 || !fact->has_exited)) {
		sum->is_unseen = true;
		return;
	}
	sum->work += (fact->has_sum ? fact->sum : 0) + (fact->has_exited ? fact->exited : 0);
}

double host_series_value(const struct host_series *series, enum host_series_use use, size_t host)
{
	const struct host_series_sum *sum = &series->sums[use][host];

	if (sum->files == 0 || sum->is_unseen || sum->seconds <= 0)
		return NAN;
	return series->is_level ? sum->work / sum->files : sum->work / sum->seconds;
}

bool host_series_is_unseen(const struct host_series *series, enum host_series_use use, size_t host)
{
	return series->sums[use][host].is_unseen;
}
