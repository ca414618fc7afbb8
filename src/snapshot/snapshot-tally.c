// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/snapshot/snapshot.h"

void snapshot_tally_add_impossible(struct snapshot_tally *tally, const struct thread_sample *sample)
{
	if (metric_set_is_empty(&sample->impossible))
		return;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		tally->impossible[i] += metric_set_has(&sample->impossible, (enum metric_id)i);
}

uint64_t snapshot_tally_impossible(const struct snapshot_tally *tally)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		sum += tally->impossible[i];
	return sum;
}
