// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect/contrast.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "statistics/distribution.h"
#include "statistics/moments.h"

static double mean_of_arm(const struct contrast_plan *plan, const struct trial_block *block,
                          unsigned arm, const double *y)
{
	size_t count = 0;
	double sum = 0;

	for (size_t i = 0; i < block->count; i++)
		if (plan->trial->units[block->units[i]].arm == arm) {
			sum += y[block->units[i]];
			count++;
		}
	return sum / (double)count;
}

void contrast_blocks(const struct contrast_plan *plan, const double *y, double *ret)
{
	for (size_t i = 0; i < plan->trial->block_count; i++) {
		const struct trial_block *block = &plan->trial->blocks[i];

		ret[i] =
		        mean_of_arm(plan, block, plan->b, y) - mean_of_arm(plan, block, plan->a, y);
	}
}

enum { CHAIN = 4 };

bool contrast_block_is_chain(const struct contrast_plan *plan, size_t place, bool *ret_first_is_a)
{
	const struct trial_block *block = &plan->trial->blocks[place];
	unsigned arms[CHAIN];

	if (block->count != CHAIN)
		return false;
	for (size_t i = 0; i < CHAIN; i++)
		arms[i] = plan->trial->units[block->units[i]].arm;
	*ret_first_is_a = arms[0] == plan->a;
	return arms[0] != arms[1] && arms[1] == arms[2] && arms[3] == arms[0] &&
	       (arms[0] == plan->a || arms[0] == plan->b) &&
	       (arms[1] == plan->a || arms[1] == plan->b);
}

bool contrast_null(const struct contrast_plan *plan, const double *y, double *ret)
{
	for (size_t i = 0; i < plan->trial->block_count; i++) {
		const size_t *units = plan->trial->blocks[i].units;
		bool first_is_a;

		if (!contrast_block_is_chain(plan, i, &first_is_a))
			return false;
		ret[i] = (y[units[3]] - y[units[0]]) - 3 * (y[units[2]] - y[units[1]]);
	}
	return true;
}

struct contrast_test contrast_carry_over(const struct contrast_plan *plan, const double *y)
{
	/* The steps of blocks that begin with a, and of the others. */
	double *steps[2] = {mem_calloc(plan->trial->block_count + 1, sizeof(double)),
	                    mem_calloc(plan->trial->block_count + 1, sizeof(double))};
	size_t counts[2] = {0, 0};
	struct contrast_test test = {0};
	bool all = true;

	for (size_t i = 0; i < plan->trial->block_count; i++) {
		const size_t *units = plan->trial->blocks[i].units;
		bool first_is_a = false;

		all = all && contrast_block_is_chain(plan, i, &first_is_a);
		if (all)
			steps[!first_is_a][counts[!first_is_a]++] = y[units[2]] - y[units[1]];
	}
	if (all && counts[0] > 1 && counts[1] > 1) {
		struct moments first = moments_of(steps[0], counts[0]);
		struct moments second = moments_of(steps[1], counts[1]);
		double df = (double)(counts[0] + counts[1] - 2);
		double se = sqrt((first.m2 + second.m2) / df *
		                 (1 / (double)counts[0] + 1 / (double)counts[1]));
		double difference = first.mean - second.mean;

		test.estimate = difference / 2;
		test.is_defined = se > 0;
		if (test.is_defined)
			test.p = 2 * t_upper_tail(fabs(difference) / se, df);
	}
	free(steps[0]);
	free(steps[1]);
	return test;
}

/* Sums of a line. */
struct line {
	double xx, xy, yy;
};

/* Adds the blocks of one session, from @first to before @end. */
static void add_session(const struct contrast_plan *plan, const double *y, size_t first, size_t end,
                        struct line *line)
{
	double count = (double)(end - first), middle = (count - 1) / 2, mean = 0;

	for (size_t i = first; i < end; i++)
		mean += mean_of_arm(plan, &plan->trial->blocks[i], plan->a, y) / count;
	for (size_t i = first; i < end; i++) {
		double dx = (double)(i - first) - middle;
		double dy = mean_of_arm(plan, &plan->trial->blocks[i], plan->a, y) - mean;

		line->xx += dx * dx;
		line->xy += dx * dy;
		line->yy += dy * dy;
	}
}

struct contrast_test contrast_drift(const struct contrast_plan *plan, const double *y)
{
	const struct trial *trial = plan->trial;
	size_t n = trial->block_count, sessions = 0, df;
	struct contrast_test test = {0};
	struct line line = {0};

	for (size_t first = 0, end = 0; first < n; first = end, sessions++) {
		while (end < n && trial->blocks[end].session == trial->blocks[first].session)
			end++;
		add_session(plan, y, first, end, &line);
	}
	if (n < sessions + 2 || !(line.xx > 0) || !(line.yy > 0))
		return test;
	df = n - sessions - 1;
	test.estimate = line.xy / line.xx;
	test.is_defined = line.yy - test.estimate * line.xy > 1e-12 * line.yy;
	if (test.is_defined) {
		double rest = (line.yy - test.estimate * line.xy) / (double)df;

		test.p = 2 * t_upper_tail(fabs(test.estimate) / sqrt(rest / line.xx), (double)df);
	}
	return test;
}
