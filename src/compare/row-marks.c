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
