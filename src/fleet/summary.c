// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

int summary_bin(__int128 value)
{
	uint64_t size = (uint64_t)(value < 0 ? -value : value);
	int bin = size == 0 ? 0 : 64 - __builtin_clzll(size);

	return value < 0 ? -bin : bin;
}

/* Makes the bins reach from @first to @last. */
static void widen(struct summary *summary, int first, int last)
{
	int low =
	        summary->bin_count == 0 || first < summary->first_bin ? first : summary->first_bin;
	int high = summary->first_bin + (int)summary->bin_count - 1;
	unsigned count;
	uint64_t *bins;

	if (summary->bin_count == 0 || last > high)
		high = last;
	count = (unsigned)(high - low + 1);
	if (count == summary->bin_count)
		return;
	bins = mem_calloc(count, sizeof(bins[0]));
	if (summary->bin_count > 0)
		memcpy(bins + (summary->first_bin - low), summary->bins,
		       summary->bin_count * sizeof(bins[0]));
	free(summary->bins);
	summary->bins = bins;
	summary->first_bin = low;
	summary->bin_count = count;
}

static void add_to_bin(struct summary *summary, int bin, uint64_t threads)
{
	widen(summary, bin, bin);
	saturating_add_to(&summary->bins[bin - summary->first_bin], threads);
}

static void add_min(struct summary *summary, __int128 value)
{
	if (!summary->has_min || value < summary->min)
		summary->min = value;
	summary->has_min = true;
}

static void add_max(struct summary *summary, __int128 value)
{
	if (!summary->has_max || value > summary->max)
		summary->max = value;
	summary->has_max = true;
}

/* No sum of squares falls, so the order of the additions does not decide whether it is beyond 128 bits. */
static void add_squares(struct summary *summary, unsigned __int128 squares, bool is_over)
{
	unsigned __int128 sum;

	if (summary->square_sum_is_over || is_over ||
	    __builtin_add_overflow(summary->square_sum, squares, &sum)) {
		summary->square_sum_is_over = true;
		summary->square_sum = 0;
		return;
	}
	summary->square_sum = sum;
}

void summary_add_unseen(struct summary *summary, uint64_t threads)
{
	saturating_add_to(&summary->threads, threads);
}

void summary_remove_unseen(struct summary *summary, uint64_t threads)
{
	uint64_t unseen = summary->threads - summary->seen;

	summary->threads -= threads < unseen ? threads : unseen;
}

void summary_add(struct summary *summary, __int128 value, bool zero_is_none)
{
	summary_add_unscaled(summary, value, value, zero_is_none);
}

void summary_add_unscaled(struct summary *summary, __int128 value, __int128 scaled,
                          bool zero_is_none)
{
	unsigned __int128 size = (unsigned __int128)(value < 0 ? -value : value);

	saturating_add_to(&summary->threads, 1);
	saturating_add_to(&summary->seen, 1);
	/* 2^63 values of 64 bits fit. */
	summary->sum += value;
	add_squares(summary, size * size, false);
	if (value != 0 || !zero_is_none)
		add_min(summary, value);
	add_max(summary, value);
	add_to_bin(summary, summary_bin(scaled), 1);
}

/* Returns @number * @to / @from, cut off. No sum is so large that it overflows: see summary_add(). */
static __int128 scale(__int128 number, uint64_t to, uint64_t from)
{
	return number / from * to + number % from * to / from;
}

/* The same for squares; sets @ret_is_over if the result is beyond 128 bits. */
static unsigned __int128 scale_squares(unsigned __int128 squares, uint64_t to, uint64_t from,
                                       bool *ret_is_over)
{
	unsigned __int128 square_to = (unsigned __int128)to * to;
	unsigned __int128 square_from = (unsigned __int128)from * from;
	unsigned __int128 whole, rest;

	*ret_is_over = __builtin_mul_overflow(squares / square_from, square_to, &whole) ||
	               __builtin_mul_overflow(squares % square_from, square_to, &rest) ||
	               __builtin_add_overflow(whole, rest / square_from, &whole);
	return *ret_is_over ? 0 : whole;
}

/* Equal values have no variance, and so the sum of their squares is not less than the square of their sum over their number. */
static unsigned __int128 least_squares(const struct summary *summary)
{
	unsigned __int128 size =
	        (unsigned __int128)(summary->sum < 0 ? -summary->sum : summary->sum);

	if (summary->seen == 0 || size > UINT64_MAX)
		return 0;
	return size * size / summary->seen + (size * size % summary->seen > 0);
}

void summary_scale(struct summary *summary, uint64_t to, uint64_t from)
{
	summary->sum = scale(summary->sum, to, from);
	summary->min = scale(summary->min, to, from);
	summary->max = scale(summary->max, to, from);
	summary->exited = (unsigned __int128)scale((__int128)summary->exited, to, from);
	summary->rated_values = scale(summary->rated_values, to, from);
	rate_scale(&summary->rates, to, from);
	if (summary->square_sum_is_over)
		return;
	summary->square_sum =
	        scale_squares(summary->square_sum, to, from, &summary->square_sum_is_over);
	if (!summary->square_sum_is_over && summary->square_sum < least_squares(summary))
		summary->square_sum = least_squares(summary);
}

static void add_exited(struct summary *summary, enum summary_exited state, unsigned __int128 work)
{
	if (state == SUMMARY_EXITED_EMPTY || summary->exited_state == SUMMARY_EXITED_UNKNOWN)
		return;
	summary->exited_state = state;
	summary->exited = state == SUMMARY_EXITED_KNOWN ? summary->exited + work : 0;
}

void summary_add_exited(struct summary *summary, bool is_known, unsigned __int128 work)
{
	add_exited(summary, is_known ? SUMMARY_EXITED_KNOWN : SUMMARY_EXITED_UNKNOWN, work);
}

bool summary_work(const struct summary *summary, __int128 *ret)
{
	bool has_exited = summary->exited_state == SUMMARY_EXITED_KNOWN;

	/* No threads are left in a group of exited ones, or one stands for those of which nothing is known. */
	if (summary->seen == 0 && (!has_exited || (summary->threads > 0 && summary->exited == 0)))
		return false;
	*ret = summary->sum + (has_exited ? (__int128)summary->exited : 0);
	return true;
}

void summary_add_rate(struct summary *summary, uint64_t value, uint64_t inside, uint64_t time_ns)
{
	summary->rated_values += value;
	rate_add(&summary->rates, inside, time_ns);
}

void summary_add_exited_rate(struct summary *summary, unsigned __int128 work, struct rate_sum rate)
{
	summary->rated_values += (__int128)work;
	rate_merge(&summary->rates, rate);
}

bool summary_rated(const struct summary *summary, uint64_t length_ns, __int128 *ret)
{
	/* Far above all sums, and far below the largest number. */
	static const long double limit = 0x1p100L;
	long double rated;

	if (!summary_work(summary, ret))
		return false;
	rated = ldexpl((long double)summary->rates.fixed, -RATE_FRACTION_BITS) *
	        (long double)length_ns / (long double)NS_PER_SECOND;
	*ret += (__int128)roundl(fminl(rated, limit)) - summary->rated_values;
	return true;
}

void summary_merge(struct summary *into, const struct summary *from)
{
	saturating_add_to(&into->threads, from->threads);
	saturating_add_to(&into->seen, from->seen);
	into->sum += from->sum;
	into->rated_values += from->rated_values;
	rate_merge(&into->rates, from->rates);
	add_squares(into, from->square_sum, from->square_sum_is_over);
	if (from->has_min)
		add_min(into, from->min);
	if (from->has_max)
		add_max(into, from->max);
	add_exited(into, from->exited_state, from->exited);
	if (from->bin_count > 0)
		widen(into, from->first_bin, from->first_bin + (int)from->bin_count - 1);
	for (unsigned i = 0; i < from->bin_count; i++)
		saturating_add_to(&into->bins[from->first_bin + (int)i - into->first_bin],
		                  from->bins[i]);
}

void summary_add_histogram(const struct summary *summary, struct strbuf *out)
{
	bool any = false;

	for (unsigned i = 0; i < summary->bin_count; i++) {
		if (summary->bins[i] == 0)
			continue;
		strbuf_addf(out, "%s%d:%llu", any ? " " : "", summary->first_bin + (int)i,
		            (unsigned long long)summary->bins[i]);
		any = true;
	}
}

void summary_done(struct summary *summary)
{
	free(summary->bins);
	*summary = (struct summary){0};
}
