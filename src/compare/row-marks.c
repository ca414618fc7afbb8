// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-marks.h"

#include <math.h>

#include "group/group-marks.h"

/* The metrics of a measure: itself, or its inputs. */
static size_t metric_count(unsigned measure)
{
	return measure_is_derived(measure) ? derived_table[measure_derived(measure)].input_count
	                                   : 1;
}

static enum metric_id metric_at(unsigned measure, size_t i)
{
	return measure_is_derived(measure) ? derived_table[measure_derived(measure)].inputs[i]
	                                   : (enum metric_id)measure;
}

static uint64_t impossible_of(const struct group *group, enum metric_id metric)
{
	const struct group_mark *mark = group_marks_find(group->marks, metric);

	return mark ? mark->impossible : 0;
}

bool row_marks_impossible_differ(const struct row_set *set, const struct row_group *group,
                                 unsigned measure)
{
	const struct group *before = group->sides[SIDE_BASELINE];
	const struct group *after = group->sides[SIDE_CANDIDATE];
	/* A ratio of two lives that the kernel cannot have had both is as wrong as the difference of them. */
	const struct group *between = measure_is_derived(measure) ? group->interval : NULL;

	if (!set->continues || !before || !after || set->frames[SIDE_BASELINE].kind == KIND_window)
		return false;
	for (size_t i = 0; i < metric_count(measure); i++) {
		enum metric_id metric = metric_at(measure, i);

		if (impossible_of(before, metric) != impossible_of(after, metric) ||
		    (between && impossible_of(between, metric) > 0))
			return true;
	}
	return false;
}

/* Returns the share of the group's threads that have the input. */
static double share_of(const struct group *group, enum metric_id metric)
{
	return group->cells[metric].seen / (double)group->threads;
}

static bool is_in_a_set(const struct row_view *view, enum metric_id metric)
{
	return metric_set_has(&view->missing_inputs[SIDE_BASELINE], metric) ||
	       metric_set_has(&view->missing_inputs[SIDE_CANDIDATE], metric);
}

static bool has_same_share(const struct group *const *sides, enum metric_id metric)
{
	return (uint64_t)sides[SIDE_BASELINE]->cells[metric].seen *
	               sides[SIDE_CANDIDATE]->threads ==
	       (uint64_t)sides[SIDE_CANDIDATE]->cells[metric].seen * sides[SIDE_BASELINE]->threads;
}

enum row_inputs row_marks_inputs(const struct row_view *view)
{
	const struct group *const *sides = view->sides;
	enum row_inputs inputs = ROW_INPUTS_SAME;
	enum derived_basis basis = measure_is_derived(view->measure)
	                                   ? derived_table[measure_derived(view->measure)].basis
	                                   : BASIS_SUMS;

	if (view->absence[SIDE_BASELINE] != ABSENCE_NONE ||
	    view->absence[SIDE_CANDIDATE] != ABSENCE_NONE)
		return ROW_INPUTS_SAME;
	/* A share of a life has all of an input or nothing of it. */
	if (!sides[SIDE_BASELINE] || !sides[SIDE_CANDIDATE] || basis == BASIS_LIFE)
		return metric_set_equal(&view->missing_inputs[SIDE_BASELINE],
		                        &view->missing_inputs[SIDE_CANDIDATE])
		               ? ROW_INPUTS_SAME
		               : ROW_INPUTS_DIFFER;
	for (size_t i = 0; i < metric_count(view->measure); i++) {
		enum metric_id metric = metric_at(view->measure, i);

		if (!is_in_a_set(view, metric) || has_same_share(sides, metric))
			continue;
		/* The values of a part that one side does not have at all are not like those of any thread. */
		if (!basis_is_of_parts(basis) || sides[SIDE_BASELINE]->cells[metric].seen == 0 ||
		    sides[SIDE_CANDIDATE]->cells[metric].seen == 0)
			return ROW_INPUTS_DIFFER;
		inputs = ROW_INPUTS_UNEVEN;
	}
	return inputs;
}

/* Returns the part of a side's sum that is there, or missing, because of unlike shares. */
static double uneven_part(const struct row_view *view, unsigned side)
{
	const struct group *const *sides = view->sides;
	double uneven = 0, sum = 0;

	for (size_t i = 0; i < metric_count(view->measure); i++) {
		enum metric_id metric = metric_at(view->measure, i);
		const struct fold_cell *cell = &sides[side]->cells[metric];

		sum += (double)cell->number;
		if (is_in_a_set(view, metric) && cell->seen > 0)
			uneven += (double)cell->number *
			          fabs(share_of(sides[SIDE_BASELINE], metric) -
			               share_of(sides[SIDE_CANDIDATE], metric)) /
			          share_of(sides[side], metric);
	}
	return sum > 0 ? uneven / sum : 0;
}

bool row_marks_uneven_is_small(const struct row_view *view, struct quantity delta)
{
	enum { PARTS_OF_DELTA = 100 };
	double uneven = 0;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		uneven = fmax(uneven,
		              uneven_part(view, side) * fabs(quantity_double(view->values[side])));
	return delta.kind != QUANTITY_NONE &&
	       uneven * PARTS_OF_DELTA <= fabs(quantity_double(delta));
}

static bool exited_differ(const struct row_set *set, const struct row_view *view)
{
	bool lacks[SIDE_MAX];

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		if (set->frames[side].kind != KIND_window || view->per == PER_thread ||
		    measure_is_of_lives(view->measure))
			return false;
		lacks[side] = group_measure_lacks_exited(view->sides[side], &set->frames[side],
		                                         view->measure);
	}
	return lacks[SIDE_BASELINE] != lacks[SIDE_CANDIDATE];
}

enum row_shares row_marks_shares(const struct row_set *set, const struct row_view *view)
{
	static const double most = .1;
	struct group_coverage a = {view->seen[SIDE_BASELINE], view->expected[SIDE_BASELINE]};
	struct group_coverage b = {view->seen[SIDE_CANDIDATE], view->expected[SIDE_CANDIDATE]};
	bool small;

	if (view->group->exited || !view->sides[SIDE_BASELINE] || !view->sides[SIDE_CANDIDATE] ||
	    measure_is_label(view->measure) || measure_is_place(view->measure))
		return ROW_SHARES_SAME;
	if (exited_differ(set, view))
		return ROW_SHARES_DIFFER;
	/* The coverage of a sum of parts is that of the part that most threads have; row_marks_inputs() has the shares of the others. */
	if (!group_shares_differ(a, b))
		return ROW_SHARES_SAME;
	if (measure_is_amount(view->measure, view->per))
		small = !measure_is_extreme(view->measure) &&
		        group_shares_are_small(a, b, quantity_double(view->values[SIDE_BASELINE]),
		                               quantity_double(view->values[SIDE_CANDIDATE]));
	else
		small = fmax(group_shares_part(a, b), group_shares_part(b, a)) < most;
	return small ? ROW_SHARES_UNEVEN : ROW_SHARES_DIFFER;
}
