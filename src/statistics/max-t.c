// SPDX-License-Identifier: GPL-2.0-or-later
/* Flips of signs keep the sum of squares q of a row, so its sd follows from the sum of the contrasts alone: with w = sum^2 /
 * n, (n - 1) * sd^2 = q - w and t^2 = (n - 1) * w / (q - w). A measure m = t / own, or with a floor, is compared as
 *
 *     r = sqrt(w / (w + least)),   least = min((q - w) * own^2, max(q - w, (n - 1) * sd_floor^2) * floored^2) / (n - 1),
 *     m^2 = r^2 / (1 - r^2),
 *
 * which orders all rows as m does, lies between 0 and 1, and has no division by an sd of 0. */
#include "statistics/max-t.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "flip-sums.h"
#include "statistics/quantile.h"

const struct max_t_measure max_t_student = {.own = 1, .floored = INFINITY};

/* Values of r this close are equal. */
static const double tolerance = 1e-12;

struct ranked {
	double r;
	size_t row;
};

/* A row, in units that let none of its squares vanish. */
struct measured {
	struct flip_sums sums;
	double squares, floor;   /* q, and (n - 1) * sd_floor^2 */
	double per_block;        /* 1 / n */
	double own_2, floored_2; /* own^2 / (n - 1), and floored^2 / (n - 1) */
};

static void measured_done(struct measured *row)
{
	flip_sums_done(&row->sums);
}

static double largest_of(const double *contrasts, size_t blocks)
{
	double largest = 0;

	for (size_t i = 0; i < blocks; i++)
		largest = fmax(largest, fabs(contrasts[i]));
	return largest;
}

/* A measure that is not used is infinite, and its square must not meet a 0. */
static double square_finite(double number)
{
	return isfinite(number) ? number * number : 1e200;
}

/* @row has a contrast that is not 0. */
static struct measured measured_new(const struct contrast_rows *rows, size_t row,
                                    const struct flips *flips, const struct max_t_measure *measure)
{
	const double *contrasts = rows->contrasts + row * rows->blocks;
	double unit = largest_of(contrasts, rows->blocks);
	double floor = measure->sd_floor / unit, df = (double)(rows->blocks - 1);
	struct measured result = {.per_block = 1 / (double)rows->blocks,
	                          .floor = df * floor * floor};
	double *scaled = mem_calloc(rows->blocks, sizeof(scaled[0]));

	for (size_t i = 0; i < rows->blocks; i++) {
		scaled[i] = contrasts[i] / unit;
		result.squares += scaled[i] * scaled[i];
	}
	/* One block has no sd; its r is 1 whatever the measure is. */
	df = fmax(df, 1);
	result.own_2 = square_finite(measure->own) / df;
	result.floored_2 = square_finite(measure->floored) / df;
	result.sums = flip_sums_new(scaled, rows->blocks, flips->stride);
	free(scaled);
	return result;
}

/* r^2 of the row if its contrasts have this sum. */
static double square_of(const struct measured *row, double sum)
{
	double between = sum * sum * row->per_block;
	double within = row->squares - between;
	double own, floored;

	within = within > 0 ? within : 0;
	own = within * row->own_2;
	floored = (within > row->floor ? within : row->floor) * row->floored_2;
	return between / (between + (own < floored ? own : floored));
}

static int ranked_compare(const void *a_ptr, const void *b_ptr)
{
	const struct ranked *a = a_ptr, *b = b_ptr;

	if (a->r != b->r)
		return a->r < b->r ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

/* The rows of the family, the largest measure first. Returns their number. */
static size_t rank_rows(const struct contrast_rows *rows, const struct flips *flips,
                        const struct max_t_measure *measure, struct ranked *ranked)
{
	size_t count = 0;

	for (size_t row = 0; row < rows->rows; row++) {
		cleanup_(measured_done) struct measured seen = {0};
		double sum = 0;

		if (largest_of(rows->contrasts + row * rows->blocks, rows->blocks) <= 0)
			continue;
		seen = measured_new(rows, row, flips, measure);
		for (size_t k = 0; k < flips->stride; k++)
			sum += seen.sums.table[k][0];
		ranked[count++] = (struct ranked){sqrt(square_of(&seen, sum)), row};
	}
	qsort(ranked, count, sizeof(ranked[0]), ranked_compare);
	return count;
}

/* The tosses that are looked at: a toss and its complement give the same measures. */
static size_t tosses_of(const struct flips *flips)
{
	return flips->is_every ? flips->count / 2 : flips->count;
}

static size_t weight_of(const struct flips *flips)
{
	return flips->is_every ? 2 : 1;
}

/* Raises @largest, r^2 of each toss over the rows so far, by this row. */
static void raise_largest(const struct measured *row, const struct flips *flips, double *largest)
{
	size_t tosses = tosses_of(flips);

	for (size_t i = 0; i < tosses; i++) {
		double square =
		        square_of(row, flip_sum(&row->sums, flips->bytes + i * flips->stride));

		largest[i] = square > largest[i] ? square : largest[i];
	}
}

/* The tosses that reach a row with this r. */
static size_t count_reached(const struct flips *flips, double r, const double *largest)
{
	double reached = fmax(0, r - tolerance);
	size_t tosses = tosses_of(flips), count = 0;

	reached *= reached;
	for (size_t i = 0; i < tosses; i++)
		count += largest[i] >= reached;
	return count * weight_of(flips);
}

/* The measure above which there are only so many tosses as have a p of .05. @largest is sorted here. */
static double critical_of(const struct flips *flips, size_t blocks, size_t family, double *largest)
{
	size_t hits = 0, weight = weight_of(flips);
	double square;

	if (blocks < 2 || family == 0 || flips_smallest_p(flips) > 0.05)
		return INFINITY;
	while (flips_p(flips, (hits + 1) * weight) <= 0.05)
		hits++;
	values_sort(largest, tosses_of(flips));
	square = largest[tosses_of(flips) - hits - 1];
	return square < 1 ? sqrt(square / (1 - square)) : INFINITY;
}

double max_t_step_down(const struct contrast_rows *rows, const struct flips *flips,
                       const struct max_t_measure *measure, struct max_t *ret)
{
	cleanup_(mem_freep) struct ranked *ranked = mem_calloc(rows->rows + 1, sizeof(ranked[0]));
	cleanup_(mem_freep) double *largest = mem_calloc(flips->count + 1, sizeof(largest[0]));
	size_t family = rank_rows(rows, flips, measure, ranked), so_far = 0;

	for (size_t row = 0; row < rows->rows; row++)
		ret[row] = (struct max_t){0};
	for (size_t place = family; place-- > 0;) {
		struct max_t *result = &ret[ranked[place].row];
		cleanup_(measured_done) struct measured row =
		        measured_new(rows, ranked[place].row, flips, measure);

		raise_largest(&row, flips, largest);
		result->is_in_family = true;
		result->count = count_reached(flips, ranked[place].r, largest);
	}
	for (size_t place = 0; place < family; place++) {
		struct max_t *result = &ret[ranked[place].row];

		so_far = result->count > so_far ? result->count : so_far;
		result->count = so_far;
		result->p = flips_p(flips, so_far);
	}
	return critical_of(flips, rows->blocks, family, largest);
}

double max_t_critical(const struct contrast_rows *rows, const struct flips *flips,
                      const struct max_t_measure *measure)
{
	cleanup_(mem_freep) double *largest = mem_calloc(flips->count + 1, sizeof(largest[0]));
	size_t family = 0;

	for (size_t i = 0; i < rows->rows; i++) {
		cleanup_(measured_done) struct measured row = {0};

		if (largest_of(rows->contrasts + i * rows->blocks, rows->blocks) <= 0)
			continue;
		row = measured_new(rows, i, flips, measure);
		raise_largest(&row, flips, largest);
		family++;
	}
	return critical_of(flips, rows->blocks, family, largest);
}
