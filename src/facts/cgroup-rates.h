/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-rates - counters of cgroups in a window, per second. Each cgroup was read at times of its own, and is divided
 * by the time between its own two readings before cgroups that share a group are added up. Pure. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/metric/cgroup-stats.h"
#include "metric/fold.h"

/* Rates are integers with a fixed point, in 2^-20 per second. */
enum { CGROUP_RATE_BITS = 20 };

/* Returns @value per second of @interval_ns, which is not 0; at most INT64_MAX. */
int64_t cgroup_rate(uint64_t value, uint64_t interval_ns);

/* Converts a rate to a number per second. */
static inline struct quantity cgroup_rate_quantity(int64_t rate)
{
	return quantity_real((double)rate / (double)(1 << CGROUP_RATE_BITS));
}

/* Returns whether a counter is seen among the values, keys and totals. A cgroup that did not exist at the first reading
 * of a window has none there, and no interval. */
bool cgroup_counts(const struct cgroup_stats *stats);

/* Adds the rates of a cgroup to those of @into, which holds @members cgroups so far. They replace the values, keys and
 * totals that are counters; everything else is unseen. @from->interval_ns is not 0. */
void cgroup_rates_add(struct cgroup_stats *into, uint32_t members, const struct cgroup_stats *from);

/* Does so for a cgroup that lies in one of these, as cgroup_stats_merge_nested(). */
void cgroup_rates_add_nested(struct cgroup_stats *into, uint64_t covered,
                             const struct cgroup_stats *from);
