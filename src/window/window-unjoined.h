/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-unjoined - the counters of a cgroup that one reading of a window has and the other one has not: a controller was switched on
 * or off in between, or a cgroup of version 1 was made, removed, or made anew in one of the hierarchies. Their rise is not known. */
#include "ctprof/metric/cgroup-stats.h"

/* Counts them in stats->unjoined, by object. */
void window_note_unjoined(struct cgroup_stats *stats, const struct cgroup_stats *other);

/* Raises the counts in stats->unjoined to those of @of. */
void window_keep_unjoined(struct cgroup_stats *stats, const struct keyed_values *of);
