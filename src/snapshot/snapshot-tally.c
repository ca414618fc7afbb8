// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/snapshot/snapshot.h"

void snapshot_tally_add_impossible(struct snapshot_tally *tally, const struct thread_sample *sample)
{
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		tally->impossible_totals[i] += sample->process_totals_impossible >> i & 1;
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

uint64_t snapshot_tally_impossible_totals(const struct snapshot_tally *tally)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		sum += tally->impossible_totals[i];
	return sum;
}
