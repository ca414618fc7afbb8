/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* spread - the distribution of the values of one metric over the threads of a group. Every value is kept, but for
 * zeros, which are only counted: most counters of most threads are 0. The order in which values are added and spreads
 * are merged makes no difference, not even in the last digit. */
#include <stddef.h>
#include <stdint.h>

#include "metric/fold.h"

enum spread_kind { SPREAD_EMPTY, SPREAD_U64, SPREAD_I64, SPREAD_REAL };

/* All zero is the empty spread. The first value decides the kind; all others must be of the same kind. There is one for
 * each group and metric, so it is small. */
struct spread {
	uint64_t *values; /* owned; in an encoding that sorts like the numbers */
	uint32_t count, capacity;
	uint32_t zeros;
	enum spread_kind kind;
};

/* Add the value of one thread. Reals that are not finite are ignored. Memory ends before 2^32 values. */
void spread_add_u64(struct spread *spread, uint64_t value);
void spread_add_i64(struct spread *spread, int64_t value);
void spread_add_real(struct spread *spread, double value);

/* Adds the values of @from, of the same kind if both have any. */
void spread_merge(struct spread *into, const struct spread *from);

struct spread_summary {
	uint64_t n; /* threads; the other fields are none if it is 0 */
	/* The smallest value that so many percent of the threads do not exceed. It is always the value of a thread.
	 * Integers are exact. */
	struct quantity p50, p90, p99, max;
	/* The largest value over the sum, 0 to 1; none if the sum is 0 or a value is negative. */
	struct quantity busiest_share;
	/* The standard deviation over these threads only, divided by the magnitude of the mean; none if the mean is
	 * 0. */
	struct quantity variation;
};

/* Sorts the values in place; more can be added afterwards. */
void spread_summarise(struct spread *spread, struct spread_summary *ret);

/* Frees the values and empties the spread. For cleanup_(spread_done). */
void spread_done(struct spread *spread);
