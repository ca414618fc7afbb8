/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* summary - one metric's values in many threads. Summaries are merged in any order and over any tree, and
 * the result is the same to the bit: all numbers are integers, and none is rounded. */
#include <stdbool.h>
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "measure/rates.h"

/* Bins of a value are -64 to 64: 0 for the value 0, n for 2^(n-1) to 2^n - 1, and -n for the same below 0. */
enum { SUMMARY_BIN_MOST = 64 };

/* The knowledge about the work of threads that have exited. */
enum summary_exited {
	SUMMARY_EXITED_EMPTY, /* nothing was added yet */
	SUMMARY_EXITED_KNOWN,
	SUMMARY_EXITED_UNKNOWN, /* of some part; then of the whole */
};

/* All zero is the summary of nothing. */
struct summary {
	uint64_t threads; /* that could have the value */
	uint64_t seen;    /* that have it */
	__int128 sum;
	unsigned __int128 square_sum;
	bool square_sum_is_over; /* it is beyond 128 bits, and not known */
	bool has_min;
	bool has_max;
	__int128 min;
	__int128 max;
	enum summary_exited exited_state;
	unsigned __int128 exited;
	/* Values that are rated by times of their own, and the sum of their rates. */
	__int128 rated_values;
	struct rate_sum rates;
	/* Bins from @first_bin on, of which the first and the last are not 0; owned. */
	int first_bin;
	unsigned bin_count;
	uint64_t *bins;
};

/* Returns the bin of a value, which is within +-(2^64-1). */
int summary_bin(__int128 value);

/* Adds threads without a value. */
void summary_add_unseen(struct summary *summary, uint64_t threads);

/* Takes away as many threads without a value: their work is among that of exited ones. */
void summary_remove_unseen(struct summary *summary, uint64_t threads);

/* Adds a thread with a value within +-(2^64-1). If @zero_is_none, a 0 is left out of the smallest value. */
void summary_add(struct summary *summary, __int128 value, bool zero_is_none);
/* The same of a value that summary_scale() will scale; @scaled is the value that its bin is of. */
void summary_add_unscaled(struct summary *summary, __int128 value, __int128 scaled,
                          bool zero_is_none);

/* Multiplies all numbers but the bins by @to / @from, neither of them 0: each is cut off once, but for the sum of squares, which
 * stays large enough for the sum. */
void summary_scale(struct summary *summary, uint64_t to, uint64_t from);

/* Adds work of exited threads; @is_known is false if it is not known. */
void summary_add_exited(struct summary *summary, bool is_known, unsigned __int128 work);

/* Stores the work of a group, that of exited threads included. Returns false if nothing of it was seen. If @seen is below @threads, it
 * is a part. */
bool summary_work(const struct summary *summary, __int128 *ret);

/* Notes that rates count no more than @inside of a value that was added, and that this is the work of @time_ns, which is not 0. */
void summary_add_rate(struct summary *summary, uint64_t value, uint64_t inside, uint64_t time_ns);

/* The same of work that was added by summary_add_exited(). */
void summary_add_exited_rate(struct summary *summary, unsigned __int128 work, struct rate_sum rate);

/* Stores the work of a window of that length at the rates of its threads; summary_work() where none was noted. Result as that one. */
bool summary_rated(const struct summary *summary, uint64_t length_ns, __int128 *ret);

/* Adds all of @from. */
void summary_merge(struct summary *into, const struct summary *from);

/* Appends "0:3 12:1"; nothing for a summary without bins. */
void summary_add_histogram(const struct summary *summary, struct strbuf *out);

/* Frees what the summary owns, and empties it. For cleanup_(summary_done). */
void summary_done(struct summary *summary);
