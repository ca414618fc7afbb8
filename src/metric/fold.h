/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fold - reduces the values of many threads to one cell for each metric, by the metric's rule. Folding is
 * independent of the order of the threads. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/metric/metric.h"

/* Counts how often each value of a label occurs. Most groups have one value, and a short one. */
struct fold_tally {
	uint32_t len;   /* of the entries */
	char entries[]; /* each a uint32_t, the number of threads, and the label with its NUL */
};

struct fold_tally_entry {
	const char *label; /* borrowed from the tally */
	uint32_t threads;
};

/* Stores the entry at *@at, which starts at 0 and moves to the next one. Returns false behind the last one. @tally may
 * be NULL. */
bool fold_tally_next(const struct fold_tally *tally, uint32_t *at, struct fold_tally_entry *ret);

/* The range and the common set of CPUs of a group's threads. */
struct fold_affinity {
	unsigned min_cpus;
	unsigned max_cpus;
	bool uniform;
	struct cpu_mask first; /* shortened behind used_words: use it by pointer only */
};

/* A sum over threads: the lives of 10,000 threads exceed 2^64 ns in 21 days. */
typedef unsigned __int128 fold_number;

/* Returns the number, or 2^64-1 if that is less. */
uint64_t fold_number_capped(fold_number number);

/* The value of one metric of a group. All zero is the empty cell. It is packed, to 20 bytes instead of 32, since groups
 * consist of such cells. */
struct __attribute__((packed, aligned(4))) fold_cell {
	union {
		fold_number number; /* SUM, MAX, MIN */
		struct {
			uint32_t low, high;     /* shifted for I32, see fold_range_bound() */
		} range;                        /* RANGE */
		struct fold_tally *tally;       /* MODE; owned */
		struct fold_affinity *affinity; /* AFFINITY; owned */
	};
	uint32_t seen; /* threads whose value is in here; 0: there is no value */
};

_Static_assert(sizeof(struct fold_cell) == 20 || sizeof(void *) != 8, "nothing between cells");

/* The typed fold functions of metric-table.c call one of these. */
void fold_max(struct fold_cell *cell, uint64_t value);
void fold_min(struct fold_cell *cell, uint64_t value); /* ignores 0 */
void fold_range_i32(struct fold_cell *cell, int32_t value);
void fold_range_u32(struct fold_cell *cell, uint32_t value);
void fold_mode(struct fold_cell *cell, const char *label);
void fold_affinity(struct fold_cell *cell, const struct cpu_mask *mask);

/* Folds @from, a cell of the same metric, into @into. */
void fold_merge(enum metric_id metric, struct fold_cell *into, const struct fold_cell *from);

struct thread_sample;

/* Folds a value of the sample, which was seen, into the cell: that of one thread, or of several whose values are folded in one row
 * and that have the same value where the rule is no sum and no extreme. */
void fold_sample(const struct thread_sample *sample, enum metric_id metric, struct fold_cell *cell);

/* Frees what the cell owns and empties it. */
void fold_cell_done(enum metric_id metric, struct fold_cell *cell);

/* Returns whether both cells hold the same value, whatever the number of threads. Labels are the same if the winner and
 * its share are. */
bool fold_equal(enum metric_id metric, const struct fold_cell *a, const struct fold_cell *b);

/* Return the ends of a RANGE cell, in the metric's own numbers. */
int64_t fold_range_bound(enum metric_id metric, uint32_t stored);

/* Returns the most frequent label of a MODE cell (the one that sorts first among equals) and the number of threads that
 * have it. The cell must have been seen; the text is borrowed from it. */
const char *fold_winner(const struct fold_cell *cell, uint32_t *ret_threads);

/* A number. An integer is kept exactly, since a double loses digits of 64-bit counters. */
enum quantity_kind { QUANTITY_NONE, QUANTITY_INTEGER, QUANTITY_REAL };
struct quantity {
	enum quantity_kind kind;
	__int128 integer; /* QUANTITY_INTEGER; within +-2^96 */
	double real;      /* QUANTITY_REAL */
};

struct quantity quantity_integer(__int128 integer);
struct quantity quantity_real(double real); /* QUANTITY_NONE for NaN and infinities */
double quantity_double(struct quantity quantity);
/* Returns a - b; none if either is none. */
struct quantity quantity_difference(struct quantity a, struct quantity b);
bool quantity_is_zero(struct quantity quantity);

/* Returns the number that stands for a cell in deltas and sorting: the value; the midpoint of a range or of the numbers
 * of CPUs; none for labels and for cells without a value. */
struct quantity fold_quantity(enum metric_id metric, const struct fold_cell *cell);
