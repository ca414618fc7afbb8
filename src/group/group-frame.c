// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group.h"

struct derive_frame group_table_frame(const struct group_table *table)
{
	struct derive_frame frame = {0};
	const struct host *host = table->host;

	if (table->info)
		return derive_frame_of(table->info);
	if (host && host->seen[HOST_clock_ticks_per_second])
		frame.clock_ticks_per_second = host->numbers[HOST_clock_ticks_per_second];
	if (host && host->seen[HOST_online_cpus])
		frame.online_cpus = host->numbers[HOST_online_cpus];
	return frame;
}

bool group_counts_thread(const struct thread_sample *sample, enum metric_id metric)
{
	return !metric_is_leader_only(metric) ||
	       (sample->tid == sample->tgid &&
	        (!sample_ended_inside(sample) || metric_set_has(&sample->seen, metric)));
}
