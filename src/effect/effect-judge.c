// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect-judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "statistics/equivalence.h"
#include "statistics/flips.h"
#include "statistics/p-adjust.h"
#include "statistics/power.h"
#include "statistics/rank.h"
#include "statistics/sign-flip.h"

/* The error rate of the whole experiment, and the power for the number of blocks. */
static const double alpha = .05, power = .8, margin_power = .9;

/* Fewer blocks than that have no sign-flip p below alpha. */
enum { BLOCKS_LEAST = 6 };

static bool is_over_blocks(const struct comparison *comparison)
{
	return comparison->parts.kind == PART_BLOCK;
}

/* The contrasts that a row is tested by: those of its parts. Owned by the caller. */
static double *tested_contrasts(const struct comparison *comparison, const struct effect *effect)
{
	double *contrasts = mem_calloc(comparison->n + 1, sizeof(contrasts[0]));

	parts_means(&comparison->parts, effect->contrasts, contrasts);
	return contrasts;
}

/* Returns whether no block has any difference. No coin can tell such a row from others, whatever it fell like, so that it has no
 * test, and is none of the rows that p is corrected for. */
static bool is_still(const struct comparison *comparison, const struct effect *effect)
{
	for (size_t i = 0; i < comparison->blocks; i++)
		if (effect->contrasts[i] != 0)
			return false;
	return true;
}

static void test_row(const struct comparison *comparison, const struct flips *flips,
                     struct effect *effect)
{
	double *contrasts = tested_contrasts(comparison, effect);
	struct rank_estimate robust;

	effect->test = t_test(contrasts, comparison->n);
	effect->has_interval = t_interval(&effect->test, 1 - alpha, &effect->ci95);
	if (signed_rank_estimate(contrasts, comparison->n, 1 - alpha, &robust)) {
		effect->has_robust = true;
		effect->robust = robust.estimate;
		effect->has_robust_interval = robust.reaches_level;
		effect->robust_ci95 = robust.interval;
	}
	if (!is_still(comparison, effect))
		effect->flip_p = (struct p_value){true, sign_flip(contrasts, flips).p};
	free(contrasts);
}

/* Constant contrasts have no t, but they have a sign-flip p. */
static struct p_value own_p(const struct comparison *comparison, const struct effect *effect)
{
	if (effect->test.has_t)
		return (struct p_value){true, effect->test.p};
	return is_over_blocks(comparison) ? effect->flip_p : (struct p_value){0};
}

/* Gives all rows of a role Holm's p. Returns how many have one. */
static size_t adjust_role(struct comparison *comparison, bool (*has)(const struct effect *effect))
{
	struct p_value *p = mem_calloc(comparison->count + 1, sizeof(p[0]));
	size_t count = 0, at = 0, defined = 0;

	for (size_t i = 0; i < comparison->count; i++)
		if (has(&comparison->effects[i])) {
			p[count] = own_p(comparison, &comparison->effects[i]);
			defined += p[count++].is_defined;
		}
	p_adjust(P_ADJUST_HOLM, p, count, p);
	for (size_t i = 0; i < comparison->count; i++)
		if (has(&comparison->effects[i]))
			comparison->effects[i].p = p[at++];
	free(p);
	return defined;
}

static bool is_primary(const struct effect *effect)
{
	return effect->role == ROLE_PRIMARY;
}

static bool is_control(const struct effect *effect)
{
	return effect->role == ROLE_CONTROL;
}

static bool is_other(const struct effect *effect)
{
	return effect->role == ROLE_OTHER || effect->role == ROLE_OUTCOME;
}

/* Corrects by the coins of all blocks together. */
static void adjust_others(struct comparison *comparison, const struct flips *flips)
{
	struct contrast_rows rows = {.blocks = comparison->n};
	double *all = mem_calloc((comparison->count + 1) * rows.blocks, sizeof(all[0]));
	struct p_value *p;
	size_t at = 0;

	for (size_t i = 0; i < comparison->count; i++)
		if (is_other(&comparison->effects[i]))
			memcpy(&all[rows.blocks * rows.rows++], comparison->effects[i].contrasts,
			       rows.blocks * sizeof(all[0]));
	p = mem_calloc(rows.rows + 1, sizeof(p[0]));
	rows.contrasts = all;
	comparison->family = adjust_rows(&rows, flips, p);
	for (size_t i = 0; i < comparison->count; i++)
		if (is_other(&comparison->effects[i]))
			comparison->effects[i].p = p[at++];
	free(p);
	free(all);
}

/* Few sessions or hosts have too few tosses: their rows go by t, corrected for any dependence. */
static void adjust_parts(struct comparison *comparison)
{
	size_t rows = adjust_role(comparison, is_other);

	comparison->family = (struct adjusted_family){.rows = rows, .critical_t = INFINITY};
	if (rows > 0 && comparison->n > 1)
		comparison->family.critical_t =
		        power_critical_t(comparison->n, alpha / (double)rows);
}

static struct interval margins_of(const struct effect *effect, double share)
{
	return effect->scale.is_log ? equivalence_margins(share) : (struct interval){-share, share};
}

/* The level of a row whose role is corrected by Holm, if all rows of it have no effect. */
static double level_of(const struct comparison *comparison, const struct effect *effect,
                       size_t primaries)
{
	size_t rows = effect->role == ROLE_PRIMARY   ? primaries
	              : effect->role == ROLE_CONTROL ? 1
	                                             : comparison->family.rows;

	return alpha / (double)(rows > 0 ? rows : 1);
}

/* Returns whether the row is judged by the coins of all others too. */
static bool is_of_family(const struct comparison *comparison, const struct effect *effect)
{
	return is_other(effect) && is_over_blocks(comparison) &&
	       isfinite(comparison->family.critical_t);
}

/* Stores the number of contrasts that would decide an unknown row: whether there is an effect of the margin, or none. */
static void set_needed(const struct comparison *comparison, struct effect *effect, double level)
{
	double margin = margins_of(effect, comparison->plan.trial->margin).high;
	double sd = effect->test.sd;
	size_t found = BLOCKS_LEAST, none = BLOCKS_LEAST;
	bool known = true;

	if (!effect->test.has_sd || !(sd > 0))
		effect->blocks_needed = BLOCKS_LEAST;
	else if (is_of_family(comparison, effect))
		known = adjusted_blocks_needed(&comparison->family, comparison->n, margin, sd,
		                               power, &found);
	else
		known = power_blocks_for_effect(margin / sd, level, power, &found);
	if (effect->test.has_sd && sd > 0)
		known = known && power_blocks_for_margin(margin / sd, margin_power, &none);
	found = found > none ? found : none;
	effect->blocks_needed = !known ? 0 : found > BLOCKS_LEAST ? found : BLOCKS_LEAST;
}

static void set_detectable(const struct comparison *comparison, struct effect *effect,
                           size_t primaries)
{
	double level = level_of(comparison, effect, primaries), sd = effect->test.sd;

	effect->detectable = INFINITY;
	set_needed(comparison, effect, level);
	if (comparison->n < 2 || !effect->test.has_sd || !(sd > 0) ||
	    comparison->smallest_flip_p > alpha)
		return;
	if (is_of_family(comparison, effect))
		effect->detectable =
		        adjusted_detectable(&comparison->family, comparison->n, sd, power);
	else if (!is_other(effect) || !is_over_blocks(comparison))
		effect->detectable =
		        power_detectable(comparison->n, power_critical_t(comparison->n, level),
		                         power) *
		        sd;
}

/* The coins must agree with t, for t takes the contrasts as normal. Sessions and hosts are too few for coins. */
static bool has_moved(const struct comparison *comparison, const struct effect *effect)
{
	return effect->p.is_defined && effect->p.p <= alpha &&
	       (!is_over_blocks(comparison) || effect->flip_p.p <= alpha) &&
	       effect_size(effect) >= comparison->plan.trial->min_effect;
}

static void answer(const struct comparison *comparison, struct effect *effect)
{
	struct interval margins = margins_of(effect, comparison->plan.trial->margin);
	/* Rows that never differ have no interval: they are the same in as many blocks as could have shown a move. */
	bool is_same = is_still(comparison, effect)
	                       ? comparison->blocks >= BLOCKS_LEAST
	                       : equivalence_test(&effect->test, &margins).is_equivalent;

	effect->answer = has_moved(comparison, effect) ? ANSWER_MOVED
	                 : is_same                     ? ANSWER_SAME
	                                               : ANSWER_UNKNOWN;
	effect->is_inside_margin = effect->answer == ANSWER_MOVED &&
	                           effect->test.mean > margins.low &&
	                           effect->test.mean < margins.high;
}

/* The part of the effect that too short a pause hides. Behind the other arm a unit lacks @carry of it: one middle unit, the
 * last one, and half of the first ones. */
static double hidden_part(const struct effect *effect)
{
	enum { AFFECTED_PER_UNIT = 5, OF = 4 };
	double hidden = effect->carry * AFFECTED_PER_UNIT / OF;

	return hidden / (effect->test.mean + hidden);
}

/* A change away from the other arm is no carry-over. */
static void check_carry_over(struct comparison *comparison)
{
	enum { LEVEL_PERCENT = 10 };
	struct p_value *p = mem_calloc(comparison->count + 1, sizeof(p[0]));
	size_t count = 0, at = 0;

	for (size_t i = 0; i < comparison->count; i++)
		if (is_primary(&comparison->effects[i]))
			p[count++] = comparison->effects[i].carry_p;
	p_adjust(P_ADJUST_HOLM, p, count, p);
	for (size_t i = 0; i < comparison->count; i++) {
		const struct effect *effect = &comparison->effects[i];
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		if (!is_primary(effect))
			continue;
		if (p[at].is_defined && 100 * p[at].p < LEVEL_PERCENT &&
		    effect->carry * effect->test.mean > 0) {
			effect_add_name(effect, &text);
			strbuf_addf(&text,
			            " is carried over from arm to arm: settle was too short, and "
			            "its effect is too small by about %.0f %%",
			            100 * hidden_part(effect));
			trial_texts_add(&comparison->failures, strbuf_str(&text));
		}
		at++;
	}
	free(p);
}

static void check_controls(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++) {
		const struct effect *effect = &comparison->effects[i];
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		if (!is_control(effect) || effect->answer != ANSWER_MOVED)
			continue;
		strbuf_add_str(&text, "control ");
		effect_add_name(effect, &text);
		strbuf_add_str(&text, " moved by ");
		effect_add_change(effect, effect->test.mean, &text);
		trial_texts_add(&comparison->failures, strbuf_str(&text));
	}
}

/* Contrasts whose truth is zero show the worth of p on this host. */
static void check_nulls(struct comparison *comparison)
{
	static const double doubt = .01;
	struct contrast_rows rows = {.blocks = comparison->blocks};
	cleanup_(mem_freep) double *all =
	        mem_calloc((comparison->count + 1) * rows.blocks, sizeof(all[0]));
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < comparison->count; i++)
		if (comparison->effects[i].nulls)
			memcpy(&all[rows.blocks * rows.rows++], comparison->effects[i].nulls,
			       rows.blocks * sizeof(all[0]));
	rows.contrasts = all;
	comparison->nulls = tally_low(&rows, alpha);
	if (!comparison->nulls.p.is_defined || comparison->nulls.p.p > doubt)
		return;
	strbuf_addf(&text,
	            "%zu of %zu rows differ in a contrast whose truth is zero, and all together "
	            "more than chance gives (p %.2g): p is too small on this host",
	            comparison->nulls.low, comparison->nulls.rows, comparison->nulls.p.p);
	trial_texts_add(&comparison->doubts, strbuf_str(&text));
}

void effect_judge(struct comparison *comparison)
{
	cleanup_(flips_done) struct flips flips =
	        flips_of_coins(comparison->n, comparison->plan.trial->seed);
	size_t primaries;

	comparison->smallest_flip_p = is_over_blocks(comparison) ? flips_smallest_p(&flips) : 0;
	for (size_t i = 0; i < comparison->count; i++)
		test_row(comparison, &flips, &comparison->effects[i]);
	primaries = adjust_role(comparison, is_primary);
	(void)adjust_role(comparison, is_control);
	if (is_over_blocks(comparison))
		adjust_others(comparison, &flips);
	else
		adjust_parts(comparison);
	for (size_t i = 0; i < comparison->count; i++) {
		set_detectable(comparison, &comparison->effects[i], primaries);
		answer(comparison, &comparison->effects[i]);
	}
	check_nulls(comparison);
	check_controls(comparison);
	check_carry_over(comparison);
}
