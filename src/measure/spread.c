// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The capacity that fits the smallest block of malloc(3): many groups have one thread. */
enum { FIRST_CAPACITY = 3 };

/* Values are kept as unsigned numbers in the same order. The sign bit of two's complement is flipped. So is that of
 * positive doubles; negative doubles have all bits flipped, since these grow with the magnitude. */
static const uint64_t sign_bit = UINT64_C(1) << 63;

static uint64_t encode_real(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits & sign_bit ? ~bits : bits | sign_bit;
}

static double decode_real(uint64_t encoded)
{
	uint64_t bits = encoded & sign_bit ? encoded ^ sign_bit : ~encoded;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static int64_t decode_i64(uint64_t encoded)
{
	return (int64_t)(encoded ^ sign_bit);
}

static struct quantity quantity_of(enum spread_kind kind, uint64_t encoded)
{
	switch (kind) {
	case SPREAD_U64:
		return quantity_integer(encoded);
	case SPREAD_I64:
		return quantity_integer(decode_i64(encoded));
	case SPREAD_REAL:
		return quantity_real(decode_real(encoded));
	case SPREAD_EMPTY:
		break;
	}
	return (struct quantity){0};
}

static long double number_of(enum spread_kind kind, uint64_t encoded)
{
	switch (kind) {
	case SPREAD_U64:
		return (long double)encoded;
	case SPREAD_I64:
		return (long double)decode_i64(encoded);
	case SPREAD_REAL:
		return (long double)decode_real(encoded);
	case SPREAD_EMPTY:
		break;
	}
	return 0;
}

static uint32_t sum_of_counts(uint32_t count, uint32_t extra)
{
	uint32_t sum;

	if (__builtin_add_overflow(count, extra, &sum))
		mem_exhausted();
	return sum;
}

static void reserve(struct spread *spread, uint32_t extra)
{
	uint32_t wanted = sum_of_counts(spread->count, extra);

	array_reserve(spread->values, spread->capacity,
	              wanted > FIRST_CAPACITY ? wanted : FIRST_CAPACITY);
}

static void add(struct spread *spread, enum spread_kind kind, bool is_zero, uint64_t encoded)
{
	spread->kind = kind;
	if (is_zero) {
		spread->zeros = sum_of_counts(spread->zeros, 1);
		return;
	}
	reserve(spread, 1);
	spread->values[spread->count++] = encoded;
}

void spread_add_u64(struct spread *spread, uint64_t value)
{
	add(spread, SPREAD_U64, value == 0, value);
}

void spread_add_i64(struct spread *spread, int64_t value)
{
	add(spread, SPREAD_I64, value == 0, (uint64_t)value ^ sign_bit);
}

void spread_add_real(struct spread *spread, double value)
{
	if (isfinite(value))
		add(spread, SPREAD_REAL, fpclassify(value) == FP_ZERO, encode_real(value));
}

void spread_merge(struct spread *into, const struct spread *from)
{
	if (from->kind == SPREAD_EMPTY)
		return;
	into->kind = from->kind;
	into->zeros = sum_of_counts(into->zeros, from->zeros);
	if (from->count == 0)
		return;
	reserve(into, from->count);
	memcpy(into->values + into->count, from->values, from->count * sizeof(from->values[0]));
	into->count += from->count;
}

static int compare_values(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static size_t count_negative(const struct spread *spread)
{
	size_t count = 0;

	if (spread->kind != SPREAD_U64)
		while (count < spread->count && !(spread->values[count] & sign_bit))
			count++;
	return count;
}

/* Returns the value at @rank, from 1, in the sorted list with the zeros. */
static struct quantity value_at(const struct spread *spread, size_t negative, uint64_t rank)
{
	if (rank <= negative)
		return quantity_of(spread->kind, spread->values[rank - 1]);
	if (rank > (uint64_t)negative + spread->zeros)
		return quantity_of(spread->kind, spread->values[rank - 1 - spread->zeros]);
	return spread->kind == SPREAD_REAL ? quantity_real(0) : quantity_integer(0);
}

/* Returns percent * n / 100, rounded up, without overflow. */
static uint64_t rank_of(uint64_t n, unsigned percent)
{
	return n / 100 * percent + (n % 100 * percent + 99) / 100;
}

/* Integers are summed exactly. Reals are sorted by now, so any order of arrival gives the same sum. */
static long double sum_of(const struct spread *spread)
{
	__int128 integer = 0;
	long double real = 0;

	for (size_t i = 0; i < spread->count; i++) {
		if (spread->kind == SPREAD_REAL)
			real += number_of(spread->kind, spread->values[i]);
		else
			integer += quantity_of(spread->kind, spread->values[i]).integer;
	}
	return spread->kind == SPREAD_REAL ? real : (long double)integer;
}

static long double deviation_of(const struct spread *spread, long double mean, uint64_t n)
{
	long double squares = (long double)spread->zeros * mean * mean;

	/* The computed mean of equal values may be off by a digit. */
	if (spread->zeros == 0 && spread->values[0] == spread->values[spread->count - 1])
		return 0;
	for (size_t i = 0; i < spread->count; i++) {
		long double distance = number_of(spread->kind, spread->values[i]) - mean;

		squares += distance * distance;
	}
	return sqrtl(squares / (long double)n);
}

void spread_summarise(struct spread *spread, struct spread_summary *ret)
{
	struct spread_summary summary = {.n = (uint64_t)spread->count + spread->zeros};
	size_t negative;
	long double sum;

	*ret = summary;
	if (summary.n == 0)
		return;
	if (spread->count > 0)
		qsort(spread->values, spread->count, sizeof(spread->values[0]), compare_values);
	negative = count_negative(spread);
	summary.p50 = value_at(spread, negative, rank_of(summary.n, 50));
	summary.p90 = value_at(spread, negative, rank_of(summary.n, 90));
	summary.p99 = value_at(spread, negative, rank_of(summary.n, 99));
	summary.max = value_at(spread, negative, summary.n);
	sum = sum_of(spread);
	if (fpclassify(sum) != FP_ZERO) {
		long double mean = sum / (long double)summary.n;

		if (negative == 0)
			summary.busiest_share = quantity_real((
			        double)(number_of(spread->kind, spread->values[spread->count - 1]) /
			                sum));
		summary.variation = quantity_real(
		        (double)(deviation_of(spread, mean, summary.n) / fabsl(mean)));
	}
	*ret = summary;
}

void spread_done(struct spread *spread)
{
	free(spread->values);
	*spread = (struct spread){0};
}
