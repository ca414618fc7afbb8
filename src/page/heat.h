/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* heat - the rows of a heat map: amounts of the first groups of a history, and of all others together. */
#include "page/history.h"

/* Aspects that have a heat map, in this order. */
enum { HEAT_ASPECTS = 5 };
extern const enum aspect_id heat_aspects[HEAT_ASPECTS];

struct heat {
	const struct history *history; /* borrowed */
	unsigned aspect;
	size_t groups;   /* that have a row; one more is of the others */
	double **values; /* by row; owned */
	double largest;
};

void heat_init(const struct history *history, unsigned aspect, struct heat *ret);
/* For cleanup_(heat_done). */
void heat_done(struct heat *heat);

/* The name of the row of all others. */
extern const char heat_others[];

/* Returns the name of a row, borrowed. */
const char *heat_name(const struct heat *heat, size_t row);

/* The mean over the time of the columns that have a value, the largest one, and its column. */
struct extent {
	double mean, most; /* NaN: none has a value */
	size_t at;
	unsigned mean_marks, most_marks; /* enum history_mark; of heat_extent() alone */
};

struct extent extent_of(const struct history *history, const double *values);

/* Notes that the zero of a column lacks some of the threads: the most is that one if nothing is above it. */
void extent_mark_zero(struct extent *extent, size_t column);

/* Returns the marks of the value of a row in a column; that of the others has the host's. */
unsigned heat_marks(const struct heat *heat, size_t row, size_t column);

/* The same as extent_of() of a row, with the mean over all windows together, if that was set. */
struct extent heat_extent(const struct heat *heat, size_t row);
