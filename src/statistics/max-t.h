/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* max-t - Westfall and Young's step-down test of many rows by the same tosses: the p of a row is the share of tosses that
 * give it, or any row that is not more extreme, as large a t. Rows that move together count as one, so the smallest p
 * does not depend on the number of rows. */
#include <stdbool.h>
#include <stddef.h>

#include "statistics/flips.h"

/* The contrasts of rows under the same coins. */
struct contrast_rows {
	const double *contrasts; /* borrowed; row after row, @blocks numbers each, all finite */
	size_t rows, blocks;
};

/* The t of a row is its mean over the standard error. It is divided by a number of its own for each of the two
 * ways, and the larger result counts. Any numbers keep the promise that do not depend on how the coins fell. */
struct max_t_measure {
	double own; /* for the row's own sd, which gives an infinite t to equal contrasts; infinite: not used */
	double floored; /* for sd_floor if that is larger, in the unit of the contrasts; infinite: not used */
	double sd_floor; /* rows whose sd is small by chance then do not set the measure for all */
};

/* Student's t alone. */
extern const struct max_t_measure max_t_student;

struct max_t {
	/* A row whose contrasts are all 0 has no t and is no part of the family; the other fields are 0 then. */
	bool is_in_family;
	/* The tosses that give a measure like that of the row, or a larger one, to this row or one with a smaller
	 * measure; not less than the count of any row with a larger one. */
	size_t count;
	double p; /* by flips_p() */
};

/* Fills @ret for each row. Returns the measure that this family exceeds by chance with probability .05: a row above it has
 * an adjusted p <= .05 even if it is the largest of all. Infinite if there is no such measure, for the tosses are too
 * few. */
double max_t_step_down(const struct contrast_rows *rows, const struct flips *flips,
                       const struct max_t_measure *measure, struct max_t *ret);

/* Returns the measure above without testing the rows one by one, which costs half of the time. */
double max_t_critical(const struct contrast_rows *rows, const struct flips *flips,
                      const struct max_t_measure *measure);
