// SPDX-License-Identifier: GPL-2.0-or-later

#include "row-match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/mem.h"

/* |difference| over the larger of the two sides of the host; none where that is 0. */
static struct quantity relative(double difference, struct quantity a, struct quantity b)
{
	double larger = fmax(fabs(quantity_double(a)), fabs(quantity_double(b)));

	return larger > 0 ? quantity_real(fabs(difference) / larger) : (struct quantity){0};
}

/* Share of the host's denominators that are the group's, on the side where it is smaller: a group that has
 * only now grown did not move the host-wide value by all it is now. */
static double weight(const struct row_set *set, const struct row_view *view)
{
	double share = 1;

	for (unsigned side = 0; side < set->sides; side++) {
		const struct group *group = view->group->sides[side];
		struct quantity part, whole;

		if (!group)
			continue;
		part = derive_weight(measure_derived(view->measure), group->cells);
		whole = derive_weight(measure_derived(view->measure), set->totals[side]);
		if (part.kind == QUANTITY_NONE)
			return 1;
		if (whole.kind != QUANTITY_NONE && quantity_double(whole) > 0)
			share = fmin(share, quantity_double(part) / quantity_double(whole));
	}
	return share;
}

/* What the exited used grows by no more than the whole host used in between. What is beyond was used before the
 * baseline, by threads that were alive then. */
static struct quantity exited_movement(const struct row_set *set, const struct row_view *view)
{
	const struct row_cpu_time *before = &set->cpu_times[SIDE_BASELINE];
	const struct row_cpu_time *after = &set->cpu_times[SIDE_CANDIDATE];
	bool user = view->measure == METRIC_utime_clock_ticks;
	__int128 used = user ? (__int128)after->user_clock_ticks - before->user_clock_ticks
	                     : (__int128)after->system_clock_ticks - before->system_clock_ticks;

	if (view->delta.kind != QUANTITY_INTEGER || view->delta.integer <= used)
		return view->delta;
	return quantity_integer(used);
}

/* How much of the host the row moved (in show: how much of the host it is): |delta| over the larger of the
 * measure's two host-wide totals. A ratio or an average has no total; there it is how far the group's change
 * moves the host-wide value, relative to that value. Labels, places on a scale, CPU sets and floors have
 * none: the host's smallest value is no total. */
static struct quantity impact_of(const struct row_set *set, const struct row_view *view)
{
	unsigned last = set->sides - 1;
	struct quantity difference = set->sides == 1 ? view->values[0] : view->delta;
	struct quantity totals[SIDE_MAX];
	double factor = 1;

	if (difference.kind == QUANTITY_NONE || view->no_movement)
		return (struct quantity){0};
	if (view->group->exited)
		difference = exited_movement(set, view);
	if (!measure_is_derived(view->measure))
		switch (metric_table[view->measure].rule) {
		case RULE_SUM:
			break;
		case RULE_MAX:
			/* One group always holds the host's peak, which makes no share of it. */
			if (set->sides == 1)
				return (struct quantity){0};
			break;
		case RULE_MIN:
		case RULE_RANGE:
		case RULE_MODE:
		case RULE_AFFINITY:
			return (struct quantity){0};
		}
	for (unsigned side = 0; side < set->sides; side++)
		totals[side] = measure_quantity(view->measure, set->totals[side]);
	if (measure_is_derived(view->measure)) {
		if (set->sides == 1)
			return (struct quantity){0};
		factor = weight(set, view);
	}
	return relative(quantity_double(difference) * factor, totals[0], totals[last]);
}

static bool counter_fell(enum metric_id metric, const struct row_group *group)
{
	const struct fold_cell *baseline = &group->sides[SIDE_BASELINE]->cells[metric];
	const struct fold_cell *candidate = &group->sides[SIDE_CANDIDATE]->cells[metric];

	/* The number of threads is no counter of any thread. */
	return metric_table[metric].rule == RULE_SUM && metric != METRIC_thread_count &&
	       baseline->seen > 0 && candidate->seen > 0 && candidate->number < baseline->number;
}

/* A derived metric fell with any of its inputs: it then compares different threads. */
static bool measure_fell(const struct row_view *view)
{
	const struct derived_desc *derived;

	if (!measure_is_derived(view->measure))
		return counter_fell((enum metric_id)view->measure, view->group);
	derived = &derived_table[measure_derived(view->measure)];
	for (size_t i = 0; i < derived->input_count; i++)
		if (counter_fell(derived->inputs[i], view->group))
			return true;
	return false;
}

/* Kernel workers change their name with the work they do, and carry what they have counted from group to
 * group. */
static bool is_kworkers(const struct row_group *group)
{
	static const char prefix[] = "kworker/";

	return strncmp(group->label, prefix, strlen(prefix)) == 0;
}

static bool members_differ(const struct row_set *set, const struct row_group *group)
{
	const struct group *baseline = group->sides[SIDE_BASELINE];
	const struct group *candidate = group->sides[SIDE_CANDIDATE];

	return set->continues && baseline && candidate && !group->exited &&
	       (baseline->threads != candidate->threads || baseline->members != candidate->members);
}

static struct quantity percent_of(const struct row_view *view)
{
	double baseline = quantity_double(view->values[SIDE_BASELINE]);

	if (view->delta.kind == QUANTITY_NONE || measure_unit(view->measure) == UNIT_ratio ||
	    !(fabs(baseline) > 2.220446049250313e-16))
		return (struct quantity){0};
	return quantity_real(100 * quantity_double(view->delta) / baseline);
}

/* A derived metric is as well covered as its worst input. */
static void set_coverage(struct row_view *view, unsigned side, const struct group *group)
{
	const struct derived_desc *derived;

	if (!measure_is_derived(view->measure)) {
		view->seen[side] = group->cells[view->measure].seen;
		view->expected[side] = group_threads_for(group, (enum metric_id)view->measure);
		return;
	}
	derived = &derived_table[measure_derived(view->measure)];
	view->seen[side] = group->threads;
	view->expected[side] = group->threads;
	for (size_t i = 0; i < derived->input_count; i++) {
		uint32_t seen = group->cells[derived->inputs[i]].seen;

		if (seen < view->seen[side])
			view->seen[side] = seen;
	}
}

static bool metric_left_out(const struct group *group, enum metric_id metric)
{
	for (unsigned i = 0; group->exited_left_out >> i != 0; i++)
		if (group->exited_left_out >> i & 1 && process_total_table[i].metric == metric)
			return true;
	return false;
}

static bool exited_left_out(const struct group *group, unsigned measure)
{
	const struct derived_desc *derived;

	if (group->exited_left_out == 0)
		return false;
	if (!measure_is_derived(measure))
		return metric_left_out(group, (enum metric_id)measure);
	derived = &derived_table[measure_derived(measure)];
	for (size_t i = 0; i < derived->input_count; i++)
		if (metric_left_out(group, derived->inputs[i]))
			return true;
	return false;
}

void row_view(const struct row_set *set, const struct row_group *group, unsigned measure,
              struct row_view *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->group = group;
	ret->measure = measure;
	for (unsigned side = 0; side < set->sides; side++) {
		const struct group *here = group->sides[side];

		if (!here)
			continue;
		ret->values[side] = measure_quantity(measure, here->cells);
		if (!measure_is_derived(measure))
			ret->cells[side] = &here->cells[measure];
		set_coverage(ret, side, here);
		ret->exited_left_out = ret->exited_left_out || exited_left_out(here, measure);
	}
	if (set->sides == SIDE_MAX) {
		ret->delta = quantity_difference(ret->values[SIDE_CANDIDATE],
		                                 ret->values[SIDE_BASELINE]);
		ret->percent = percent_of(ret);
		ret->members_differ = members_differ(set, group);
		ret->no_movement = group->exited ? measure_fell(ret)
		                                 : ret->members_differ && (is_kworkers(group) ||
		                                                           measure_fell(ret));
	}
	ret->impact = impact_of(set, ret);
}

static bool has_value(const struct row_view *view, unsigned side)
{
	if (view->cells[side])
		return view->cells[side]->seen > 0;
	return view->values[side].kind != QUANTITY_NONE;
}

static bool is_unchanged(const struct row_view *view)
{
	if (measure_is_derived(view->measure))
		return quantity_is_zero(view->delta);
	return fold_equal((enum metric_id)view->measure, view->cells[SIDE_BASELINE],
	                  view->cells[SIDE_CANDIDATE]);
}

/* Whether the row is listed; counts those that are not. */
static bool keeps(struct row_set *set, const struct row_options *options,
                  const struct row_view *view)
{
	/* The exited have no values but the two that were made for them. */
	if (view->group->exited && !has_value(view, SIDE_BASELINE))
		return false;
	if (set->sides == 1 || options->unchanged)
		return true;
	if (!has_value(view, SIDE_BASELINE) && !has_value(view, SIDE_CANDIDATE)) {
		set->unseen_count++;
		return false;
	}
	if (is_unchanged(view)) {
		set->unchanged_count++;
		return false;
	}
	return true;
}

static double sort_value(const struct row_set *set, const struct row_view *view)
{
	struct quantity quantity = set->sides == 1 ? view->values[0] : view->delta;

	return quantity.kind == QUANTITY_NONE ? NAN : quantity_double(quantity);
}

static double order_key(const struct row_set *set, enum row_order order,
                        const struct row_view *view)
{
	struct quantity quantity = {0};

	switch (order) {
	case ORDER_IMPACT:
		quantity = view->impact;
		break;
	case ORDER_DELTA:
		return fabs(sort_value(set, view));
	case ORDER_PERCENT:
		quantity = view->percent;
		break;
	case ORDER_NAME:
		break;
	}
	return quantity.kind == QUANTITY_NONE ? NAN : fabs(quantity_double(quantity));
}

/* Larger first, NaN last. */
static int descending(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static int by_key(const void *a, const void *b)
{
	const struct row *row_a = a, *row_b = b;
	int order = descending(row_a->key, row_b->key);

	if (order != 0)
		return order;
	if (row_a->group != row_b->group)
		return row_a->group < row_b->group ? -1 : 1;
	return row_a->measure < row_b->measure ? -1 : row_a->measure > row_b->measure;
}

struct rank {
	uint32_t group;
	const double *values; /* one for each sort key */
};

static int by_sort_keys(const void *a, const void *b, void *context)
{
	const struct rank *rank_a = a, *rank_b = b;
	const struct row_options *options = context;

	for (size_t i = 0; i < options->sort_key_count; i++) {
		double value_a = rank_a->values[i], value_b = rank_b->values[i];
		int order = descending(value_a, value_b);

		if (options->sort_keys[i].ascending && !isnan(value_a) && !isnan(value_b))
			order = -order;
		if (order != 0)
			return order;
	}
	return rank_a->group < rank_b->group ? -1 : rank_a->group > rank_b->group;
}

/* Puts the groups themselves into the order of the sort keys; rows then follow group by group. */
static void sort_groups(struct row_set *set, const struct row_options *options)
{
	size_t keys = options->sort_key_count;
	cleanup_(mem_freep) struct rank *ranks = mem_calloc(set->group_count, sizeof(*ranks));
	cleanup_(mem_freep) double *values = mem_calloc(set->group_count * keys, sizeof(*values));
	struct row_group *sorted = mem_calloc(set->group_count, sizeof(*sorted));

	for (size_t g = 0; g < set->group_count; g++) {
		ranks[g] = (struct rank){.group = (uint32_t)g, .values = values + g * keys};
		for (size_t i = 0; i < keys; i++) {
			struct row_view view;

			row_view(set, &set->groups[g], options->sort_keys[i].measure, &view);
			values[g * keys + i] = sort_value(set, &view);
		}
	}
	qsort_r(ranks, set->group_count, sizeof(*ranks), by_sort_keys, (void *)options);
	for (size_t g = 0; g < set->group_count; g++)
		sorted[g] = set->groups[ranks[g].group];
	free(set->groups);
	set->groups = sorted;
}

static void add_rows(struct row_set *set, const struct row_options *options)
{
	enum row_order order = options->sort_key_count > 0 ? ORDER_NAME : options->order;
	size_t capacity = 0;

	for (size_t g = 0; g < set->group_count; g++)
		for (unsigned measure = 0; measure < MEASURE_COUNT; measure++) {
			struct row_view view;

			if (!options->measures[measure])
				continue;
			row_view(set, &set->groups[g], measure, &view);
			if (!keeps(set, options, &view))
				continue;
			if (set->row_count == capacity) {
				capacity = capacity ? capacity * 2 : 256;
				set->rows = mem_realloc(set->rows, capacity, sizeof(set->rows[0]));
			}
			set->rows[set->row_count++] = (struct row){
			        .group = (uint32_t)g,
			        .measure = (uint16_t)measure,
			        .key = order_key(set, order, &view),
			};
		}
	if (set->row_count > 0)
		qsort(set->rows, set->row_count, sizeof(set->rows[0]), by_key);
}

void row_set_init(struct row_set *set, const struct group_table *const *tables, unsigned sides,
                  const struct row_cpu_time *cpu_times, const struct row_options *options)
{
	*set = (struct row_set){.sides = sides, .continues = options->continues};
	row_match_exited(tables, sides);
	set->totals = mem_calloc(sides, sizeof(set->totals[0]));
	for (unsigned side = 0; side < sides; side++)
		group_table_total(tables[side], set->totals[side]);
	if (cpu_times)
		memcpy(set->cpu_times, cpu_times, sides * sizeof(*cpu_times));
	row_match(set, tables, cpu_times);
	if (options->sort_key_count > 0 && set->group_count > 0)
		sort_groups(set, options);
	add_rows(set, options);
}

static void free_groups(struct row_group *groups, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(groups[i].label);
	free(groups);
}

void row_set_done(struct row_set *set)
{
	free_groups(set->groups, set->group_count);
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		free_groups(set->unmatched[side], set->unmatched_count[side]);
		free(set->exited[side]);
	}
	for (unsigned side = 0; side < set->sides; side++)
		group_cells_done(set->totals[side]);
	free(set->totals);
	free(set->rows);
	*set = (struct row_set){0};
}
