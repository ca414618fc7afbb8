// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect/effect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "effect-judge.h"
#include "effect-rows.h"
#include "effect/host-effect.h"
#include "ends-check.h"
#include "overlap-check.h"

/* Returns whether a is before b in each block, on average, or b before a in each. */
static bool order_is_one_sided(const struct contrast_plan *plan)
{
	size_t first[2] = {0, 0};

	for (size_t i = 0; i < plan->trial->block_count; i++) {
		const struct trial_block *block = &plan->trial->blocks[i];
		double sums[2] = {0, 0}, counts[2] = {0, 0};

		for (size_t k = 0; k < block->count; k++) {
			unsigned arm = plan->trial->units[block->units[k]].arm;

			if (arm != plan->a && arm != plan->b)
				continue;
			sums[arm == plan->b] += (double)k;
			counts[arm == plan->b]++;
		}
		first[0] += sums[0] / counts[0] < sums[1] / counts[1];
		first[1] += sums[0] / counts[0] > sums[1] / counts[1];
	}
	return first[0] == plan->trial->block_count || first[1] == plan->trial->block_count;
}

static void fail(struct comparison *comparison, const char *text)
{
	trial_texts_add(&comparison->failures, text);
}

/* Adds the reasons why the order of the units leaves everything undecided. */
static void check_order(struct comparison *comparison)
{
	const struct trial *trial = comparison->plan.trial;

	if (trial->blocks_unknown)
		fail(comparison, "the blocks of the windows are unknown: a drift looks like an "
		                 "effect (--blocks-by names a label)");
	else if (trial->order == TRIAL_ORDER_SEQUENTIAL)
		fail(comparison, "the arms ran one after the other: a drift looks like an effect");
	else if (comparison->blocks > 0 && order_is_one_sided(&comparison->plan))
		fail(comparison, "one arm came first in each block: a drift looks like an effect");
	if (trial->boots_differ)
		fail(comparison, "the arms are of different boots: all that those differ in looks "
		                 "like an effect");
}

static void check_blocks(struct comparison *comparison)
{
	const struct trial *trial = comparison->plan.trial;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (trial->voided > 0 && trial->planned_blocks > comparison->blocks) {
		strbuf_addf(&text, "guards voided blocks, and only %zu of %zu were completed",
		            comparison->blocks, trial->planned_blocks);
		fail(comparison, strbuf_str(&text));
	}
	if (comparison->n == 2 && comparison->parts.kind == PART_SESSION)
		fail(comparison,
		     "two sessions show no spread between boots: a third one is needed");
	if (comparison->n == 2 && comparison->parts.kind == PART_HOST)
		fail(comparison, "two hosts show no spread between hosts: a third one is needed");
}

/* Sorts by what is printed. A row without a percentage has its place by the share of the mean. */
static double rank_of(const struct effect *effect)
{
	return effect_has_percent(effect) ? fabs(effect_percent(effect, effect->test.mean))
	                                  : 100 * effect_size(effect);
}

static int by_size(const void *a_ptr, const void *b_ptr)
{
	const struct effect *a = a_ptr, *b = b_ptr;
	double size_a = rank_of(a), size_b = rank_of(b);
	int order;

	if (a->role != b->role)
		return a->role < b->role ? -1 : 1;
	if (size_a != size_b)
		return size_a > size_b ? -1 : 1;
	order = strcmp(a->metric, b->metric);
	if (order == 0 && a->group && b->group)
		order = strcmp(a->group, b->group);
	return order;
}

static size_t count_sessions(const struct trial *trial)
{
	size_t sessions = 0;

	for (size_t i = 0; i < trial->block_count; i++)
		sessions += i == 0 || trial->blocks[i].session != trial->blocks[i - 1].session;
	return sessions;
}

/* Sets all answers to unknown. */
static void withdraw(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++) {
		struct effect *effect = &comparison->effects[i];

		if (comparison->failures.count > 0 && effect->role != ROLE_CONTROL) {
			effect->answer = ANSWER_UNKNOWN;
			effect->is_inside_margin = false;
		}
		if (effect->role != ROLE_CONTROL)
			comparison->by_answer[effect->answer]++;
	}
}

void comparison_init(struct comparison *ret, const struct effect_options *options, unsigned b)
{
	const struct trial *trial = options->trial;

	*ret = (struct comparison){
	        .plan = {.trial = trial, .a = 0, .b = b},
	        .blocks = trial->block_count,
	        .sessions = count_sessions(trial),
	};
	parts_find(&ret->parts, trial);
	ret->n = ret->parts.count;
	/* Values that count more than once have no test. */
	if (overlap_check(ret))
		ret->n = 0;
	check_order(ret);
	check_blocks(ret);
	ends_check(ret, options);
	if (ret->n == 0)
		return;
	effect_rows_find(ret, options);
	effect_judge(ret);
	withdraw(ret);
	host_effects_judge(ret);
	if (ret->count > 0)
		qsort(ret->effects, ret->count, sizeof(ret->effects[0]), by_size);
}

void comparison_done(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++) {
		free(comparison->effects[i].contrasts);
		free(comparison->effects[i].nulls);
		free(comparison->effects[i].owned);
		free(comparison->effects[i].apart);
	}
	free(comparison->effects);
	parts_done(&comparison->parts);
	trial_texts_done(&comparison->failures);
	trial_texts_done(&comparison->doubts);
	*comparison = (struct comparison){0};
}
