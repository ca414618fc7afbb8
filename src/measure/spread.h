/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* spread - how the values of one metric are distributed over the threads of a group. Every value is kept, but for
 * zeros, which are only counted: most counters of most threads are 0. The order in which values come and in which
 * spreads are merged makes no difference, not even in the last digit. */
#include <stddef.h>
#include <stdint.h>

#include "metric/fold.h"

enum spread_kind { SPREAD_EMPTY, SPREAD_U64, SPREAD_I64, SPREAD_REAL };

/* All zero is the empty spread. The first value decides the kind; all others must be of the same. There is one for each
 * group and metric, so it is small. */
struct spread {
	uint64_t *values; /* owned; in an encoding that sorts like the numbers do */
	uint32_t count, capacity;
	uint32_t zeros;
	enum spread_kind kind;
};

/* Add the value of one thread. Reals that are not finite are left out. More values than 32 bits can count are more than
 * there is memory for. */
void spread_add_u64(struct spread *spread, uint64_t value);
void spread_add_i64(struct spread *spread, int64_t value);
void spread_add_real(struct spread *spread, double value);

/* Adds the values of @from, of the same kind where both have any. */
void spread_merge(struct spread *into, const struct spread *from);

struct spread_summary {
	uint64_t n; /* threads; the rest is none where it is 0 */
	/* The smallest value that so many percent of the threads do not exceed: always that of a thread. Integers are
	 * exact. */
	struct quantity p50, p90, p99, max;
	/* The largest value over the sum, 0 to 1; none where the sum is 0 or a value is negative. */
	struct quantity busiest_share;
	/* Standard deviation, of these threads and no others, over the magnitude of the mean; none where the mean is 0. */
	struct quantity variation;
};

/* Sorts the values in place; more can be added behind it. */
void spread_summarise(struct spread *spread, struct spread_summary *ret);

/* Frees the values and empties the spread. For cleanup_(spread_done). */
void spread_done(struct spread *spread);
