// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-marks.h"

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

	if (!set->continues || !before || !after || set->frames[SIDE_BASELINE].kind == KIND_window)
		return false;
	for (size_t i = 0; (before->marks || after->marks) && i < metric_count(measure); i++) {
		enum metric_id metric = metric_at(measure, i);

		if (impossible_of(before, metric) != impossible_of(after, metric))
			return true;
	}
	return false;
}

bool row_marks_inputs_are_same(const struct row_view *view)
{
	const struct metric_set *before = &view->missing_inputs[SIDE_BASELINE];
	const struct group *const *sides = view->sides;

	if (view->absence[SIDE_BASELINE] != ABSENCE_NONE ||
	    view->absence[SIDE_CANDIDATE] != ABSENCE_NONE)
		return true;
	if (!metric_set_equal(before, &view->missing_inputs[SIDE_CANDIDATE]))
		return false;
	for (unsigned i = 0; i < METRIC_COUNT && sides[SIDE_BASELINE] && sides[SIDE_CANDIDATE];
	     i++) {
		enum metric_id metric = (enum metric_id)i;

		if (metric_set_has(before, metric) &&
		    (uint64_t)sides[SIDE_BASELINE]->cells[metric].seen *
		                    sides[SIDE_CANDIDATE]->threads !=
		            (uint64_t)sides[SIDE_CANDIDATE]->cells[metric].seen *
		                    sides[SIDE_BASELINE]->threads)
			return false;
	}
	return true;
}

bool row_marks_lack_exited(const struct group *group, unsigned measure)
{
	for (size_t m = 0; m < metric_count(measure); m++)
		for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
			if (process_total_table[i].metric == metric_at(measure, m) &&
			    ((group->exited_left_out >> i & 1) ||
			     (group->exited_unseen >>
			              process_source(process_total_table[i].source) &
			      1)))
				return true;
	return false;
}
