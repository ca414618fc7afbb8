// SPDX-License-Identifier: GPL-2.0-or-later
/* Westfall and Young's step-down test, with two measures in one family. A row's own sd is the only measure that fits rows as
 * different as those of a host, but among hundreds of rows with ten contrasts each some have an sd that is small by
 * chance, and the t of these is what every other row must exceed. With a floor under the sd no row can be small by
 * chance, but a row that is much quieter than others loses its t. Each measure is divided by what its own family exceeds
 * by chance, and the larger one counts. The floor and both divisors are the same for every toss, so the test is exact. */
#include "statistics/adjust.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "statistics/distribution.h"
#include "statistics/power.h"
#include "statistics/quantile.h"

/* The median of the root mean squares of the rows that have one. Signs do not matter to it. */
static double floor_of(const struct contrast_rows *rows)
{
	cleanup_(mem_freep) double *sizes = mem_calloc(rows->rows + 1, sizeof(sizes[0]));
	size_t count = 0;

	for (size_t i = 0; i < rows->rows; i++) {
		const double *d = rows->contrasts + i * rows->blocks;
		double squares = 0;

		for (size_t k = 0; k < rows->blocks; k++)
			squares += d[k] * d[k];
		if (squares > 0)
			sizes[count++] = sqrt(squares / (double)rows->blocks);
	}
	values_sort(sizes, count);
	return count > 0 ? quantile_of_sorted(sizes, count, 0.5) : 0;
}

static struct adjusted_family adjust(const struct contrast_rows *rows, const struct flips *flips,
                                     struct p_value *ret)
{
	cleanup_(mem_freep) struct max_t *results = mem_calloc(rows->rows + 1, sizeof(results[0]));
	struct max_t_measure measure = {.sd_floor = floor_of(rows)};
	struct max_t_measure floored = {
	        .own = INFINITY, .floored = 1, .sd_floor = measure.sd_floor};
	struct adjusted_family family = {.sd_floor = measure.sd_floor};
	double critical;

	measure.own = max_t_critical(rows, flips, &max_t_student);
	measure.floored = max_t_critical(rows, flips, &floored);
	/* Nothing can be shown; the order of the rows is still that of t. */
	if (!isfinite(measure.own) && !isfinite(measure.floored))
		measure = max_t_student;
	critical = max_t_step_down(rows, flips, &measure, results);
	family.critical_t = critical * measure.own;
	family.critical_floored_t = critical * measure.floored;
	for (size_t i = 0; i < rows->rows; i++) {
		ret[i] = (struct p_value){results[i].is_in_family, results[i].p};
		family.rows += results[i].is_in_family;
	}
	return family;
}

struct adjusted_family adjust_rows(const struct contrast_rows *rows, const struct flips *flips,
                                   struct p_value *ret)
{
	cleanup_(flips_done) struct flips drawn = {0};

	if (!flips->is_every || flips->blocks <= ADJUST_LISTED_BLOCKS)
		return adjust(rows, flips, ret);
	drawn = flips_drawn(flips->blocks, 1);
	return adjust(rows, &drawn, ret);
}

double adjusted_detectable(const struct adjusted_family *family, size_t blocks, double sd,
                           double power)
{
	double least = INFINITY;

	if (isfinite(family->critical_t))
		least = power_detectable(blocks, family->critical_t, power) * sd;
	if (isfinite(family->critical_floored_t))
		least = fmin(least, power_detectable_floored(blocks, family->critical_floored_t,
		                                             family->sd_floor / sd, power) *
		                            sd);
	return least;
}

bool adjusted_blocks_needed(const struct adjusted_family *family, size_t blocks, double effect,
                            double sd, double power, size_t *ret)
{
	double floored = INFINITY, df = (double)(blocks - 1);
	size_t own;
	bool has_own = isfinite(family->critical_t) &&
	               power_blocks_for_effect(
	                       effect / sd, 2 * t_upper_tail(family->critical_t, df), power, &own);

	/* With many blocks, and with a floor above it, the sd is as good as known. */
	if (isfinite(family->critical_floored_t)) {
		floored = (family->critical_floored_t * fmax(sd, family->sd_floor) +
		           normal_quantile(1 - power) * sd) /
		          effect;
		floored = ceil(floored * floored);
	}
	if (!has_own && !(floored <= POWER_BLOCKS_MAX))
		return false;
	*ret = has_own && (double)own < floored ? own : (size_t)floored;
	return true;
}
