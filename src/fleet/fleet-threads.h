/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fleet-threads - each thread of a snapshot as rows, one after the other, in memory that does not grow with their number. */
#include "fleet/fleet-row.h"
#include "group/group-by.h"

struct fleet_threads {
	struct group_by by;
	const struct snapshot_info *info; /* borrowed */
	const struct metric_set *wanted;  /* borrowed */
	struct metric_set forgotten;
	struct fleet_sink *sink; /* borrowed */
	struct fleet_row row;    /* of the file, whose cells are borrowed */
	struct key_names names[GROUP_KEYS_MAX];
	struct strbuf keys, name, comm, histogram;
};

/* @info is that of the whole snapshot, which has been read once before. */
void fleet_threads_init(struct fleet_threads *threads, const struct group_by *by,
                        const struct fleet_file *file, const struct snapshot_info *info,
                        const struct metric_set *wanted, struct fleet_sink *sink);
/* For cleanup_(fleet_threads_done). */
void fleet_threads_done(struct fleet_threads *threads);

/* Gives the sink a row for each metric. Returns 0, or its result other than 0. */
must_check_ int fleet_threads_add(struct fleet_threads *threads,
                                  const struct thread_sample *sample);
