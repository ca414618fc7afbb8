/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* rates - sums of counters per second, each thread's divided by the time in which it was observed. They are kept as
 * integers with a fixed point, so that the order of the threads makes no difference. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/metric/metric.h"

enum { RATE_FRACTION_BITS = 64 };

/* In 2^-64 per second; the largest number is 2^128-1, and all above it. */
struct rate_sum {
	unsigned __int128 fixed;
};

/* Adds a thread's counter. @interval_ns is not 0. */
void rate_add(struct rate_sum *sum, uint64_t value, uint64_t interval_ns);
void rate_merge(struct rate_sum *into, struct rate_sum from);
/* Multiplies the sum by @to / @from, neither of them 0. */
void rate_scale(struct rate_sum *sum, uint64_t to, uint64_t from);

/* Returns the rate per second. */
static inline double rate_value(struct rate_sum sum)
{
	return (double)sum.fixed / 0x1p64;
}

/* The metrics of which rates are kept, each with its place. All zero is the empty list. */
struct rate_list {
	unsigned count;
	uint16_t metrics[METRIC_COUNT];
	uint16_t places[METRIC_COUNT]; /* by metric: its place plus one, or 0 */
};
void rate_list_add(struct rate_list *list, enum metric_id metric);

/* Returns whether a metric has a rate: it is a sum, but not the number of threads. The rate of lived_ns is the average
 * number of threads, in seconds of life per second. */
bool metric_has_rate(enum metric_id metric);
