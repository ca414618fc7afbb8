/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fleet-groups - the threads of a snapshot by one set of group keys, as summaries. */
#include "fleet/fleet-row.h"
#include "group/group.h"

struct fleet_groups {
	struct group_table table;
	struct strmap
	        threads; /* from numbers of names, as the table's, to an array of summaries, owned */
	struct strmap names; /* from "a / b" to one of these; filled by fleet_groups_finish() */
	const struct group *last; /* of the last thread; borrowed from the table */
	struct summary *last_sums;
	/* One behind the place of the summary of each metric that has one, and how many there are: a summary takes 150 bytes, and a group of
	 * all metrics 14 KB. */
	uint16_t places[METRIC_COUNT];
	unsigned summaries;
};

/* Gives each group summaries of those metrics of @wanted that can have one. @by is copied. */
void fleet_groups_init(struct fleet_groups *groups, const struct group_by *by,
                       const struct metric_set *wanted);
/* For cleanup_(fleet_groups_done). */
void fleet_groups_done(struct fleet_groups *groups);

/* Adds a thread of the host that @info describes. Threads of one process follow one another. */
void fleet_groups_add(struct fleet_groups *groups, const struct snapshot_info *info,
                      struct thread_sample *sample);

/* Called behind the last thread, once. */
void fleet_groups_finish(struct fleet_groups *groups, const struct snapshot_info *info);

/* Gives @sink a row for each group and each metric that has summaries, groups in the order of their names. The cells of
 * the file come from @file. Returns 0, or the result of the sink other than 0. */
must_check_ int fleet_groups_rows(const struct fleet_groups *groups, const struct fleet_file *file,
                                  struct fleet_sink *sink);

/* Returns the summary of a metric in a group, an entry of @names or @threads; an empty one if the metric was not wanted. Borrowed. */
const struct summary *fleet_groups_summary(const struct fleet_groups *groups,
                                           const struct strmap_entry *entry, enum metric_id metric);
