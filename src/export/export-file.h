/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* export-file - one snapshot as rows of facts, and the options that say which ones. */
#include "command/options.h"
#include "fleet/fleet-groups.h"
#include "input/snapshot-file.h"

enum { EXPORT_KEYS_MAX = 8 };

struct export_plan {
	bool whole_hosts;                      /* refuse a file that has only some processes */
	struct group_by keys[EXPORT_KEYS_MAX]; /* sets of keys, each with rows of its own */
	unsigned key_count;
	bool keys_given; /* and not the default ones */
	struct metric_set wanted;
	struct snapshot_limits limits;
};

/* Sets the defaults: all metrics, by process name and by service. */
void export_plan_init(struct export_plan *plan);

/* Read the value of the option last returned. Return 0, or -1 with the error printed. */
must_check_ int export_add_keys(const struct option_parser *parser, struct export_plan *plan);
must_check_ int export_set_metrics(const struct option_parser *parser, struct export_plan *plan);

/* Returns whether there is any metric to export; prints an error if not. */
must_check_ bool export_has_metrics(const struct export_plan *plan);

/* Groups all threads of the file by each set of keys; @ret_groups has key_count zeroed elements. Returns 0 or -errno. */
must_check_ int export_group(const struct export_plan *plan, struct snapshot_file *file,
                             struct snapshot_info *ret_info, struct fleet_groups *ret_groups);

/* Gives the sink the rows of all groups, set by set. Nothing has been given if the file cannot be read. Return 0 or -errno. */
must_check_ int export_groups(const struct export_plan *plan, struct snapshot_file *file,
                              struct fleet_sink *sink);
/* The same of all threads. */
must_check_ int export_threads(const struct export_plan *plan, struct snapshot_file *file,
                               struct fleet_sink *sink);
