/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-files - parses the files of a cgroup that registry/cgroup.def and registry/cgroup-lists.def name. */
#include <stddef.h>

#include "ctprof/metric/cgroup-stats.h"

/* Parses one file of a cgroup into the values of @stats that registry/cgroup.def reads from it, for the hierarchy that
 * stats->is_v1 names; a malformed value stays unseen. */
void cgroup_file_parse(const char *file, const char *text, size_t len, struct cgroup_stats *stats);

/* Parses memory.stat, memory.events (flat keyed) or io.stat (nested keyed) into a list. */
void cgroup_list_parse(enum cgroup_list_id list, const char *text, size_t len,
                       struct cgroup_stats *stats);
