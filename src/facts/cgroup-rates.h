/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-rates - what counts in cgroups of a window, per second: each cgroup was read at times of its own, and is divided by
 * the time between its own two readings before cgroups that share a group are added up. Pure. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/metric/cgroup-stats.h"
#include "metric/fold.h"

/* Rates are integers with a fixed point, in 2^-20 per second. */
enum { CGROUP_RATE_BITS = 20 };

/* @value per second of @interval_ns, which is not 0; stops at INT64_MAX. */
int64_t cgroup_rate(uint64_t value, uint64_t interval_ns);

/* Converts a rate to a number per second. */
static inline struct quantity cgroup_rate_quantity(int64_t rate)
{
	return quantity_real((double)rate / (double)(1 << CGROUP_RATE_BITS));
}

/* Returns whether a value, a key or a total that counts is seen. A cgroup that did not exist at the first reading of a window
 * has none there, and no interval. */
bool cgroup_counts(const struct cgroup_stats *stats);

/* Adds the rates of a cgroup to those of @into, which holds @members cgroups so far. They stand in the places of the
 * values, keys and totals that count; everything else is unseen. @from->interval_ns is not 0. */
void cgroup_rates_add(struct cgroup_stats *into, uint32_t members, const struct cgroup_stats *from);
