// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect-rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/repeats.h"
#include "shares-check.h"

/* The state of the search. */
struct search {
	struct comparison *comparison;
	const struct effect_options *options;
	size_t units;
	double *y; /* of the row at hand; owned */
};

enum usability { USABLE, USABLE_EQUAL, USABLE_RARE, USABLE_UNSEEN, USABLE_NOWHERE };

static enum usability judge(const double *values, size_t units)
{
	size_t seen = 0, zeros = 0;
	bool equal = true;

	for (size_t i = 0; i < units; i++) {
		seen += isnan(values[i]) ? 0 : 1;
		zeros += values[i] == 0;
		equal = equal && values[i] == values[0];
	}
	if (seen < units)
		return seen == 0 ? USABLE_NOWHERE : USABLE_UNSEEN;
	if (equal)
		return USABLE_EQUAL;
	return 2 * zeros > units ? USABLE_RARE : USABLE;
}

static bool is_picked(const struct row_pick *picks, size_t count, const char *metric,
                      const struct group_by *by, const char *label)
{
	for (size_t i = 0; i < count; i++)
		if (row_pick_matches(&picks[i], metric, by, label))
			return true;
	return false;
}

/* Returns the role of a row. @ret_named is set if the plan or a gate names it. If no row is declared, the outcomes are the
 * primaries. */
static enum effect_role role_of(const struct effect_options *options, const char *metric,
                                const struct group_by *by, const char *label, bool *ret_named)
{
	*ret_named = true;
	if (is_picked(options->primaries, options->primary_count, metric, by, label))
		return ROLE_PRIMARY;
	if (is_picked(options->controls, options->control_count, metric, by, label))
		return ROLE_CONTROL;
	*ret_named = is_picked(options->wanted, options->wanted_count, metric, by, label);
	if (by)
		return ROLE_OTHER;
	return options->primary_count == 0 ? ROLE_PRIMARY : ROLE_OUTCOME;
}

static void set_means(const struct search *search, struct effect *effect)
{
	const struct contrast_plan *plan = &search->comparison->plan;
	size_t counts[2] = {0, 0};

	for (size_t i = 0; i < search->units; i++) {
		unsigned arm = plan->trial->units[i].arm;

		if (arm != plan->a && arm != plan->b)
			continue;
		effect->means[arm == plan->b] += effect->values[i];
		counts[arm == plan->b]++;
	}
	for (unsigned i = 0; i < 2; i++)
		effect->means[i] /= (double)counts[i];
}

static void set_began_before(const struct search *search, const bool *began_before,
                             struct effect *effect)
{
	const struct contrast_plan *plan = &search->comparison->plan;

	for (size_t i = 0; began_before && i < search->units; i++) {
		unsigned arm = plan->trial->units[i].arm;

		if (began_before[i] && (arm == plan->a || arm == plan->b))
			effect->began_before[arm == plan->b] = true;
	}
}

/* A change has a percentage if values cannot be below 0, and arm a has more than the few events that a ratio would hang on. */
static void set_base(const struct search *search, struct effect *effect)
{
	const struct contrast_plan *plan = &search->comparison->plan;
	size_t count = 0, above = 0;
	bool below = false;

	for (size_t i = 0; i < search->units; i++) {
		bool is_a = plan->trial->units[i].arm == plan->a;

		below = below || effect->values[i] < 0;
		count += is_a;
		above += is_a && effect->values[i] > 0;
	}
	effect->base = !below && 2 * above > count ? effect->means[0] : 0;
}

/* The host's work in arm a is the measure of impact. */
static void set_share(const struct search *search, const struct unit_table *table,
                      struct effect *effect)
{
	const struct contrast_plan *plan = &search->comparison->plan;
	double sum = 0;
	size_t count = 0;

	effect->share = NAN;
	if (!table || !measure_scales(effect->measure))
		return;
	for (size_t i = 0; i < search->units; i++)
		if (plan->trial->units[i].arm == plan->a) {
			sum += table->totals[effect->measure * table->units + i];
			count++;
		}
	if (sum > 0)
		effect->share = (effect->means[1] - effect->means[0]) / (sum / (double)count);
}

static struct p_value p_of(struct contrast_test test)
{
	return (struct p_value){test.is_defined, test.p};
}

/* The checks, whose hypotheses are true in a valid experiment. */
static void set_checks(const struct search *search, struct effect *effect)
{
	const struct contrast_plan *plan = &search->comparison->plan;
	cleanup_(mem_freep) double *null =
	        mem_calloc(plan->trial->block_count + 1, sizeof(null[0]));
	struct contrast_test carry = contrast_carry_over(plan, search->y);
	struct contrast_test drift = contrast_drift(plan, search->y);

	effect->carry = carry.estimate;
	effect->carry_p = p_of(carry);
	effect->drift = drift.estimate;
	effect->drift_p = p_of(drift);
	if (contrast_null(plan, search->y, null)) {
		struct t_test test = t_test(null, plan->trial->block_count);

		effect->null_p = (struct p_value){test.has_t, test.p};
		effect->nulls = null;
		null = NULL;
	}
}

static void add_row(struct search *search, const struct unit_table *table, struct effect effect)
{
	struct comparison *comparison = search->comparison;
	const struct contrast_plan *plan = &comparison->plan;

	if (!effect.is_equal &&
	    !contrast_scale_values(effect.values, search->units, search->y, &effect.scale)) {
		comparison->unseen++;
		free(effect.owned);
		return;
	}
	effect.noise = NAN;
	effect.contrasts = mem_calloc(plan->trial->block_count + 1, sizeof(effect.contrasts[0]));
	set_means(search, &effect);
	set_base(search, &effect);
	set_share(search, table, &effect);
	if (!effect.is_equal) {
		contrast_blocks(plan, search->y, effect.contrasts);
		set_checks(search, &effect);
	}
	*array_add(comparison->effects, comparison->count, comparison->capacity) = effect;
}

/* Returns whether one arm has the values of more of the threads than the other. */
static bool is_unlike(const struct search *search, const struct unit_table *table,
                      const struct unit_group *group, unsigned measure)
{
	const float *shares = unit_group_shares(table, group, measure);

	return shares && shares_differ(&search->comparison->plan,
	                               unit_group_values(table, group, measure), shares,
	                               measure_is_extreme(measure)              ? SHARE_OF_EXTREME
	                               : measure_is_amount(measure, table->per) ? SHARE_OF_AMOUNT
	                                                                        : SHARE_OF_RATIO);
}

/* Returns whether another measure of the family stands for this one: the first one that can be tested is tested. */
static bool is_repeat(const struct search *search, const struct unit_table *table,
                      const struct unit_group *group, unsigned measure)
{
	unsigned family = measure_family(measure);

	for (unsigned other = 0; other < MEASURE_COUNT; other++) {
		bool is_first = other == family;

		if (other == measure || measure_family(other) != family ||
		    (!is_first && (measure == family || other > measure)))
			continue;
		if (judge(unit_group_values(table, group, other), table->units) == USABLE &&
		    !is_unlike(search, table, group, other))
			return true;
	}
	return false;
}

static void find_row(struct search *search, const struct unit_table *table,
                     const struct unit_group *group, unsigned measure, bool only_named)
{
	struct comparison *comparison = search->comparison;
	const double *values = unit_group_values(table, group, measure);
	struct effect effect = {.measure = measure,
	                        .metric = measure_name(measure),
	                        .group = group->label,
	                        .by = &table->by,
	                        .unit = measure_unit(measure),
	                        .per = measure_scales(measure) ? table->per : PER_total,
	                        .values = values};
	enum usability usability = judge(values, table->units);
	bool named;

	effect.role = role_of(search->options, effect.metric, &table->by, group->label, &named);
	if (only_named && !named)
		return;
	comparison->unseen += usability == USABLE_UNSEEN;
	effect.is_equal = usability == USABLE_EQUAL;
	if (usability != USABLE_UNSEEN && usability != USABLE_NOWHERE &&
	    is_unlike(search, table, group, measure)) {
		comparison->unlike++;
		return;
	}
	comparison->equal += effect.is_equal && !named;
	comparison->rare += usability == USABLE_RARE && !named;
	if (usability != USABLE &&
	    (!named || usability == USABLE_UNSEEN || usability == USABLE_NOWHERE))
		return;
	if (!named && is_repeat(search, table, group, measure)) {
		comparison->repeats++;
		return;
	}
	set_began_before(search, unit_group_began_before(table, group, measure), &effect);
	add_row(search, table, effect);
}

static void find_groups(struct search *search, const struct unit_table *table, bool only_named)
{
	for (size_t i = 0; i < table->map.count; i++) {
		const struct unit_group *group = table->map.entries[i].value;

		for (unsigned measure = 0; group->values && measure < MEASURE_COUNT; measure++)
			if (!measure_is_label(measure) && !measure_is_place(measure))
				find_row(search, table, group, measure, only_named);
	}
}

/* Outcomes have no registry; their names are like those of metrics. */
static enum metric_unit unit_of_outcome(const char *name)
{
	const char *suffix = strrchr(name, '_');

	return suffix && strcmp(suffix, "_ns") == 0 ? UNIT_ns : UNIT_count;
}

/* The values of an outcome by unit, which the comparison owns, or NULL if a unit does not have it. */
static double *outcome_values(const struct trial *trial, const char *name)
{
	double *values = mem_calloc(trial->unit_count + 1, sizeof(values[0]));

	for (size_t i = 0; i < trial->unit_count; i++) {
		const struct trial_unit *unit = &trial->units[i];

		values[i] = NAN;
		for (size_t k = 0; k < unit->outcome_count; k++)
			if (strcmp(unit->outcomes[k].name, name) == 0)
				values[i] = unit->outcomes[k].value;
	}
	return values;
}

/* Somebody asked for each outcome, so that it is a row even if it never changes, or is mostly 0. */
static void find_outcomes(struct search *search)
{
	const struct trial *trial = search->options->trial;
	const struct trial_unit *first = &trial->units[0];

	for (size_t i = 0; trial->unit_count > 0 && i < first->outcome_count; i++) {
		struct effect effect = {.measure = MEASURE_COUNT,
		                        .metric = first->outcomes[i].name,
		                        .unit = unit_of_outcome(first->outcomes[i].name),
		                        .per = PER_total};
		enum usability usability;
		bool named;

		effect.values = effect.owned = outcome_values(trial, effect.metric);
		usability = judge(effect.values, trial->unit_count);
		effect.is_equal = usability == USABLE_EQUAL;
		effect.role = role_of(search->options, effect.metric, NULL, NULL, &named);
		if (usability == USABLE_UNSEEN || usability == USABLE_NOWHERE) {
			search->comparison->unseen++;
			free(effect.owned);
		} else {
			add_row(search, NULL, effect);
		}
	}
}

/* The host as a whole, which no key names. */
static const struct group_by host = {.count = 0};

static void find_fact(struct search *search, const struct fact_series *series)
{
	const struct effect_options *options = search->options;
	struct comparison *comparison = search->comparison;
	struct effect effect = {.measure = MEASURE_COUNT,
	                        .metric = series->metric,
	                        .group = series->label ? series->label->text : NULL,
	                        .by = series->label ? &options->facts->by : &host,
	                        .unit = series->unit,
	                        .per = series->per,
	                        .values = series->values};
	enum usability usability = judge(series->values, search->units);
	bool named;

	effect.role = role_of(options, effect.metric, effect.by, effect.group, &named);
	if (!named && series->label && !group_by_is_cgroup(&options->tables[0].by))
		return;
	effect.is_equal = usability == USABLE_EQUAL;
	comparison->unseen += usability == USABLE_UNSEEN;
	comparison->equal += effect.is_equal && !named;
	comparison->rare += usability == USABLE_RARE && !named;
	if (usability == USABLE ||
	    (named && (usability == USABLE_EQUAL || usability == USABLE_RARE)))
		add_row(search, NULL, effect);
}

void effect_rows_find(struct comparison *comparison, const struct effect_options *options)
{
	struct search search = {
	        .comparison = comparison,
	        .options = options,
	        .units = options->trial->unit_count,
	        .y = mem_calloc(options->trial->unit_count + 1, sizeof(search.y[0])),
	};

	find_outcomes(&search);
	for (size_t i = 0; i < options->table_count; i++)
		find_groups(&search, &options->tables[i], i > 0);
	for (size_t i = 0; options->facts && i < options->facts->map.count; i++)
		find_fact(&search, options->facts->map.entries[i].value);
	free(search.y);
}
