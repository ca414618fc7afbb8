// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-join.h"
#include "window-subtract.h"

/* Writes those of the first reading that the last one does not have. */
static int write_gone_cgroups(struct window_join *join, struct snapshot_writer *writer, bool is_v1)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < join->first.cgroup_count; i++) {
		const struct cgroup_stats *stats = &join->first.cgroups[i];
		struct cgroup_stats gone = {.path = stats->path, .is_v1 = is_v1, .is_gone = true};

		if (stats->is_v1 == is_v1 && !window_reading_cgroup(&join->last, stats))
			r = snapshot_write_cgroup(writer, &gone);
	}
	return r;
}

int window_write_cgroups(struct window_join *join, struct snapshot_writer *writer)
{
	int r = 0;

	/* Version 2 comes first. */
	for (int is_v1 = 0; r == 0 && is_v1 < 2; is_v1++) {
		for (size_t i = 0; r == 0 && i < join->last.cgroup_count; i++) {
			cleanup_(cgroup_stats_done) struct cgroup_stats copy = {0};
			struct cgroup_stats *stats = &join->last.cgroups[i];
			const struct cgroup_stats *first;

			if (stats->is_v1 != (is_v1 == 1))
				continue;
			if (join->keeps_last) {
				window_copy_cgroup(&copy, stats);
				stats = &copy;
			}
			first = window_reading_cgroup(&join->first, stats);
			join->cgroups_remade += first && window_is_remade_cgroup(stats, first);
			window_subtract_cgroup(stats, first);
			r = snapshot_write_cgroup(writer, stats);
		}
		if (r == 0)
			r = write_gone_cgroups(join, writer, is_v1 == 1);
	}
	return r;
}

void window_set_cgroups_lost(struct window_join *join)
{
	uint64_t lost = join->cgroups_remade;

	for (size_t i = 0; i < join->first.cgroup_count; i++)
		lost += !window_reading_cgroup(&join->last, &join->first.cgroups[i]);
	window_set(&join->info->window, WINDOW_cgroups_lost, lost);
}
