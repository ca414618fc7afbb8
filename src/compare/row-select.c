// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "row-match.h"
#include "row-ticks.h"
#include "row-visible.h"
#include "where/where.h"

static bool is_unchanged(const struct row_set *set, const struct row_view *view)
{
	/* The work of threads that have no row is missing in a partial delta. */
	if (row_has_interval(set, view->group, view->measure) && view->delta.kind != QUANTITY_NONE)
		return quantity_is_zero(view->delta) && !view->delta_partial;
	if (!view->group->sides[SIDE_BASELINE] || !view->group->sides[SIDE_CANDIDATE])
		return view->delta.kind != QUANTITY_NONE && quantity_is_zero(view->delta);
	/* The same number of ticks of another clock is another time. */
	if (measure_is_derived(view->measure) || view->per != PER_total ||
	    row_ticks_differ(set, view->measure))
		return quantity_is_zero(view->delta);
	return fold_equal((enum metric_id)view->measure, view->cells[SIDE_BASELINE],
	                  view->cells[SIDE_CANDIDATE]);
}

/* Stores the values of a row that conditions can use. */
static void describe(const struct row_view *view, unsigned sides, struct where_row *ret)
{
	uint32_t threads = 0;

	*ret = (struct where_row){.group = view->group->label,
	                          .metric = measure_name(view->measure),
	                          .section = section_table[measure_section(view->measure)].name,
	                          .unit = measure_unit(view->measure),
	                          .clock_ticks_per_second = view->clock_ticks_per_second,
	                          .unit_name = measure_unit_name(view->measure, view->per)};
	ret->numbers[WHERE_DELTA] = view->delta;
	ret->numbers[WHERE_PERCENT] = view->percent;
	ret->numbers[WHERE_IMPACT] = view->impact;
	ret->numbers[sides == 1 ? WHERE_VALUE : WHERE_BASELINE] = view->values[SIDE_BASELINE];
	if (sides == SIDE_MAX)
		ret->numbers[WHERE_CANDIDATE] = view->values[SIDE_CANDIDATE];
	if (row_group_is_exited(view->group))
		return;
	for (unsigned side = 0; side < sides; side++) {
		const struct group *group = view->group->sides[side];

		if (group && group->threads > threads)
			threads = group->threads;
		if (group)
			where_row_add_seen(ret, view->seen[side], view->expected[side]);
	}
	ret->numbers[WHERE_THREADS] = quantity_integer(threads);
}

static bool passes(const struct row_set *set, const struct row_options *options,
                   const struct row_view *view)
{
	struct where_row row;

	if (options->condition_count == 0)
		return true;
	describe(view, set->sides, &row);
	for (size_t i = 0; i < options->condition_count; i++)
		if (!where_holds(options->conditions[i], &row))
			return false;
	return true;
}

/* A counter whose values are impossible on both sides has a true difference. */
static bool has_nothing(const struct row_view *view)
{
	return !row_has_value(view, SIDE_BASELINE) && !row_has_value(view, SIDE_CANDIDATE) &&
	       view->delta.kind == QUANTITY_NONE;
}

/* Returns whether the row is listed; counts those that are not. */
static bool keeps(struct row_set *set, const struct row_options *options,
                  const struct row_view *view)
{
	bool compared = set->sides == SIDE_MAX && !options->unchanged;

	/* The exited have no values but those that were made for them. */
	if (row_group_is_exited(view->group) && has_nothing(view))
		return false;
	if (compared && has_nothing(view)) {
		set->unseen_count++;
		return false;
	}
	if (compared && (is_unchanged(set, view) || (options->visible && !row_is_visible(view)))) {
		set->unchanged_count++;
		return false;
	}
	if (!passes(set, options, view)) {
		set->filtered_count++;
		return false;
	}
	if (row_is_said(set, options, view)) {
		set->said_count++;
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

/* Rows as they are found: the first ones by by_key() as far as the limit goes, kept as a heap with the last of them on
 * top. */
struct selection {
	struct row *rows;
	size_t count;
	size_t capacity;
	size_t limit; /* 0 for none */
	size_t total; /* found so far */
};

static void swap_rows(struct row *a, struct row *b)
{
	struct row kept = *a;

	*a = *b;
	*b = kept;
}

static void sift_up(struct selection *selection, size_t at)
{
	while (at > 0 && by_key(&selection->rows[at], &selection->rows[(at - 1) / 2]) > 0) {
		swap_rows(&selection->rows[at], &selection->rows[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void sift_down(struct selection *selection)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < selection->count) {
		if (child + 1 < selection->count &&
		    by_key(&selection->rows[child + 1], &selection->rows[child]) > 0)
			child++;
		if (by_key(&selection->rows[child], &selection->rows[at]) <= 0)
			return;
		swap_rows(&selection->rows[child], &selection->rows[at]);
		at = child;
	}
}

static void select_row(struct selection *selection, struct row row)
{
	selection->total++;
	if (selection->limit > 0 && selection->count == selection->limit) {
		if (by_key(&row, &selection->rows[0]) < 0) {
			selection->rows[0] = row;
			sift_down(selection);
		}
		return;
	}
	*array_add(selection->rows, selection->count, selection->capacity) = row;
	if (selection->limit > 0)
		sift_up(selection, selection->count - 1);
}

static void sort_selected(struct selection *selection)
{
	if (selection->count > 0)
		qsort(selection->rows, selection->count, sizeof(selection->rows[0]), by_key);
}

static enum row_order order_of(const struct row_options *options)
{
	return options->sort_key_count > 0 ? ORDER_NAME : options->order;
}

static void select_group(struct row_set *set, const struct row_options *options,
                         enum row_order order, size_t group, struct selection *selection)
{
	for (unsigned measure = 0; measure < MEASURE_COUNT; measure++) {
		struct row_view view;

		if (!options->measures[measure])
			continue;
		row_view(set, &set->groups[group], measure, &view);
		if (!keeps(set, options, &view))
			continue;
		select_row(selection, (struct row){
		                              .group = (uint32_t)group,
		                              .measure = (uint16_t)measure,
		                              .key = order_key(set, order, &view),
		                      });
	}
}

static void select_rows(struct row_set *set, const struct row_options *options)
{
	struct selection selection = {.limit = options->limit};

	for (size_t g = 0; g < set->group_count; g++)
		select_group(set, options, order_of(options), g, &selection);
	sort_selected(&selection);
	set->rows = selection.rows;
	set->row_count = selection.count;
	set->row_total = selection.total;
}

/* The groups that come first, each ranked by its first row, and the first rows of each. */
static void select_top(struct row_set *set, const struct row_options *options)
{
	struct selection groups = {.limit = options->top_groups};
	struct selection all = {.limit = 0};

	/* Rows are found twice, so that only those of the chosen groups are kept. */
	for (size_t g = 0; g < set->group_count; g++) {
		struct selection first = {.limit = 1};

		select_group(set, options, order_of(options), g, &first);
		if (first.count > 0)
			select_row(&groups, first.rows[0]);
		free(first.rows);
	}
	sort_selected(&groups);
	set->groups_left_out = groups.total - groups.count;
	for (size_t i = 0; i < groups.count; i++) {
		struct selection rows = {.limit = options->limit};
		struct row_set uncounted = *set;

		/* The sort keys rank groups; which of its rows come first is another question. */
		select_group(&uncounted, options, options->order, groups.rows[i].group, &rows);
		sort_selected(&rows);
		all.total += rows.total - rows.count;
		for (size_t r = 0; r < rows.count; r++)
			select_row(&all, rows.rows[r]);
		free(rows.rows);
	}
	free(groups.rows);
	set->rows = all.rows;
	set->row_count = all.count;
	set->row_total = all.total;
}

void row_select(struct row_set *set, const struct row_options *options)
{
	if (options->sort_key_count > 0 && set->group_count > 0)
		sort_groups(set, options);
	if (options->top_groups > 0)
		select_top(set, options);
	else if (options->late && order_of(options) == ORDER_NAME)
		set->late = options;
	else
		select_rows(set, options);
}

static bool next_late(struct row_set *set, struct row_cursor *cursor, struct row_view *ret)
{
	const struct row_options *options = set->late;

	for (; cursor->at < set->group_count; cursor->at++, cursor->measure = 0)
		while (cursor->measure < MEASURE_COUNT) {
			unsigned measure = cursor->measure++;

			if (!options->measures[measure])
				continue;
			row_view(set, &set->groups[cursor->at], measure, ret);
			if (!keeps(set, options, ret))
				continue;
			set->row_total++;
			if (options->limit > 0 && set->row_count == options->limit)
				continue;
			set->row_count++;
			return true;
		}
	return false;
}

bool row_next(struct row_set *set, struct row_cursor *cursor, struct row_view *ret)
{
	const struct row *row;

	if (set->late)
		return next_late(set, cursor, ret);
	if (cursor->at == set->row_count)
		return false;
	row = &set->rows[cursor->at++];
	row_view(set, &set->groups[row->group], row->measure, ret);
	return true;
}
