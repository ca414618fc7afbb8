// SPDX-License-Identifier: GPL-2.0-or-later
/* Ranks are doubled, so that the mean rank of a tie is a whole number. The distribution of a sum of ranks is built rank by
 * rank: a signed rank is in the sum or not, with equal chances; of a rank sum all choices of as many ranks are equally
 * likely. Nothing is ever subtracted, so small probabilities are as exact as large ones. */
#include "statistics/rank.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "statistics/robust.h"

/* A distribution over the whole numbers from 0 to top, not normalised. */
struct masses {
	double *mass; /* owned */
	size_t top;
};

static void masses_done(struct masses *masses)
{
	free(masses->mass);
	*masses = (struct masses){0};
}

static double masses_sum(const struct masses *masses, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i <= to && i <= masses->top; i++)
		sum += masses->mass[i];
	return sum;
}

/* The sums of signed ranks. */
static struct masses signed_masses(const size_t *ranks, size_t count)
{
	struct masses masses = {0};
	size_t top = 0;

	for (size_t i = 0; i < count; i++)
		masses.top += ranks[i];
	masses.mass = mem_calloc(masses.top + 1, sizeof(masses.mass[0]));
	masses.mass[0] = 1;
	for (size_t i = 0; i < count; i++) {
		top += ranks[i];
		for (size_t sum = top + 1; sum-- > 0;)
			masses.mass[sum] = (masses.mass[sum] +
			                    (sum >= ranks[i] ? masses.mass[sum - ranks[i]] : 0)) /
			                   2;
	}
	return masses;
}

/* The sums of @chosen of @count ranks. */
static struct masses chosen_masses(const size_t *ranks, size_t count, size_t chosen)
{
	struct masses masses = {0};
	double *ways;
	size_t width;

	for (size_t i = 0; i < count; i++)
		masses.top += ranks[i];
	width = masses.top + 1;
	/* ways[c * width + sum]: how many choices of c ranks have this sum. */
	ways = mem_calloc((chosen + 1) * width, sizeof(ways[0]));
	ways[0] = 1;
	for (size_t i = 0; i < count; i++)
		for (size_t c = chosen < i + 1 ? chosen : i + 1; c > 0; c--)
			for (size_t sum = width; sum-- > ranks[i];)
				ways[c * width + sum] += ways[(c - 1) * width + sum - ranks[i]];
	masses.mass = mem_calloc(width, sizeof(masses.mass[0]));
	for (size_t sum = 0; sum < width; sum++)
		masses.mass[sum] = ways[chosen * width + sum];
	free(ways);
	return masses;
}

/* Fills the probabilities of a test whose doubled statistic is @seen, and @twice_mean twice the mean of it. */
static void judge(const struct masses *masses, size_t seen, size_t twice_mean,
                  struct rank_test *test)
{
	double all = masses_sum(masses, 0, masses->top), far = 0;
	size_t distance = 2 * seen > twice_mean ? 2 * seen - twice_mean : twice_mean - 2 * seen;

	test->p_greater = masses_sum(masses, seen, masses->top) / all;
	test->p_less = masses_sum(masses, 0, seen) / all;
	test->p = fmin(1, 2 * fmin(test->p_greater, test->p_less));
	for (size_t i = 0; i <= masses->top; i++)
		if ((2 * i > twice_mean ? 2 * i - twice_mean : twice_mean - 2 * i) >= distance)
			far += masses->mass[i];
	test->p_distance = far / all;
}

struct valued {
	double value;
	size_t index;
};

static int valued_compare(const void *a_ptr, const void *b_ptr)
{
	const struct valued *a = a_ptr, *b = b_ptr;

	return (a->value > b->value) - (a->value < b->value);
}

/* Twice the rank of each value, from 2; the caller frees it. */
static size_t *doubled_ranks(const double *values, size_t count)
{
	struct valued *sorted = mem_calloc(count + 1, sizeof(sorted[0]));
	size_t *ranks = mem_calloc(count + 1, sizeof(ranks[0]));

	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct valued){values[i], i};
	qsort(sorted, count, sizeof(sorted[0]), valued_compare);
	for (size_t first = 0, next; first < count; first = next) {
		for (next = first + 1; next < count; next++)
			if (sorted[next].value > sorted[first].value)
				break;
		for (size_t i = first; i < next; i++)
			ranks[sorted[i].index] = first + 1 + next;
	}
	free(sorted);
	return ranks;
}

/* Returns whether there is no contrast at all: zeros are exact. */
static bool is_zero(double value)
{
	return fpclassify(value) == FP_ZERO;
}

struct rank_test signed_rank_test(const double *contrasts, size_t count, enum rank_zeros zeros)
{
	cleanup_(mem_freep) double *sizes = mem_calloc(count + 1, sizeof(sizes[0]));
	cleanup_(mem_freep) double *signs = mem_calloc(count + 1, sizeof(signs[0]));
	cleanup_(mem_freep) size_t *ranks = NULL;
	cleanup_(masses_done) struct masses masses = {0};
	struct rank_test test = {0};
	size_t kept = 0, seen = 0;

	for (size_t i = 0; i < count; i++)
		if (zeros == RANK_ZEROS_KEEP || !is_zero(contrasts[i])) {
			sizes[kept] = fabs(contrasts[i]);
			signs[kept++] = contrasts[i];
		}
	ranks = doubled_ranks(sizes, kept);
	for (size_t i = 0; i < kept; i++)
		if (!is_zero(signs[i])) {
			seen += signs[i] > 0 ? ranks[i] : 0;
			ranks[test.n++] = ranks[i];
		}
	masses = signed_masses(ranks, test.n);
	test.statistic = (double)seen / 2;
	judge(&masses, seen, masses.top, &test);
	return test;
}

struct rank_test rank_sum_test(const double *x, size_t x_count, const double *y, size_t y_count)
{
	size_t count = x_count + y_count, seen = 0;
	cleanup_(mem_freep) double *values = mem_calloc(count + 1, sizeof(values[0]));
	cleanup_(mem_freep) size_t *ranks = NULL;
	cleanup_(masses_done) struct masses masses = {0};
	struct rank_test test = {.n = count};

	for (size_t i = 0; i < count; i++)
		values[i] = i < x_count ? x[i] : y[i - x_count];
	ranks = doubled_ranks(values, count);
	for (size_t i = 0; i < x_count; i++)
		seen += ranks[i];
	masses = chosen_masses(ranks, count, x_count);
	/* The smallest rank sum is that of the first ranks. */
	test.statistic = (double)(seen - x_count * (x_count + 1)) / 2;
	judge(&masses, seen, 2 * x_count * (count + 1), &test);
	return test;
}

/* The median of sorted @values, and the interval that leaves out the largest number of them at each end that keeps the
 * level. @masses are those of the statistic without ties, doubled, and @least the smallest of them. */
static void estimate(double *values, size_t count, const struct masses *masses, size_t least,
                     double level, struct rank_estimate *ret)
{
	double all = masses_sum(masses, 0, masses->top), below = 0, achieved = 0;
	size_t k = 0;

	values_sort(values, count);
	ret->estimate = quantile_of_sorted(values, count, 0.5);
	for (; k < (count + 1) / 2; k++) {
		below += masses->mass[least + 2 * k] / all;
		if (k > 0 && 1 - 2 * below < level - 1e-12)
			break;
		achieved = 1 - 2 * below;
	}
	ret->k = k;
	ret->achieved = fmax(0, achieved);
	ret->reaches_level = achieved >= level - 1e-12;
	ret->interval = (struct interval){values[k - 1], values[count - k]};
}

/* The doubled ranks of @count values without ties; the caller frees them. */
static size_t *plain_ranks(size_t count)
{
	size_t *ranks = mem_calloc(count + 1, sizeof(ranks[0]));

	for (size_t i = 0; i < count; i++)
		ranks[i] = 2 * (i + 1);
	return ranks;
}

bool signed_rank_estimate(const double *contrasts, size_t count, double level,
                          struct rank_estimate *ret)
{
	size_t pairs = count * (count + 1) / 2, used = 0;
	cleanup_(mem_freep) double *means = mem_calloc(pairs + 1, sizeof(means[0]));
	cleanup_(mem_freep) size_t *ranks = plain_ranks(count);
	cleanup_(masses_done) struct masses masses = {0};

	if (count == 0)
		return false;
	for (size_t i = 0; i < count; i++)
		for (size_t j = i; j < count; j++)
			means[used++] = (contrasts[i] + contrasts[j]) / 2;
	masses = signed_masses(ranks, count);
	estimate(means, pairs, &masses, 0, level, ret);
	return true;
}

bool rank_sum_estimate(const double *x, size_t x_count, const double *y, size_t y_count,
                       double level, struct rank_estimate *ret)
{
	size_t pairs = x_count * y_count, used = 0;
	cleanup_(mem_freep) double *differences = mem_calloc(pairs + 1, sizeof(differences[0]));
	cleanup_(mem_freep) size_t *ranks = plain_ranks(x_count + y_count);
	cleanup_(masses_done) struct masses masses = {0};

	if (pairs == 0)
		return false;
	for (size_t i = 0; i < x_count; i++)
		for (size_t j = 0; j < y_count; j++)
			differences[used++] = x[i] - y[j];
	masses = chosen_masses(ranks, x_count + y_count, x_count);
	estimate(differences, pairs, &masses, x_count * (x_count + 1), level, ret);
	return true;
}
