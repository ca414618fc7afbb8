// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-exits.h"

#include "window/exit-log.h"

/* Returns whether the window may lack threads that ended in it. */
static bool may_have_missed(const struct derive_frame *frame)
{
	return frame->missed > 0 || (!window_exits_are_known(frame->exits) && !frame->missed_known);
}

static bool metric_differs(const struct row_set *set, const struct row_group *group,
                           enum metric_id metric)
{
	enum exit_part baseline = exit_part_of(metric, set->frames[SIDE_BASELINE].exits);
	enum exit_part candidate = exit_part_of(metric, set->frames[SIDE_CANDIDATE].exits);
	unsigned lesser = baseline < candidate ? SIDE_BASELINE : SIDE_CANDIDATE;

	if (baseline == candidate)
		return false;
	return group->sides[lesser]->ended > 0 ||
	       (group->sides[!lesser]->ended > 0 && may_have_missed(&set->frames[lesser]));
}

bool row_is_measured_differently(const struct row_set *set, const struct row_view *view)
{
	const struct derived_desc *derived;

	if (set->frames[SIDE_BASELINE].kind != KIND_window ||
	    set->frames[SIDE_CANDIDATE].kind != KIND_window || !view->group->sides[SIDE_BASELINE] ||
	    !view->group->sides[SIDE_CANDIDATE] ||
	    (!row_has_value(view, SIDE_BASELINE) && !row_has_value(view, SIDE_CANDIDATE)))
		return false;
	if (!measure_is_derived(view->measure))
		return metric_differs(set, view->group, (enum metric_id)view->measure);
	derived = &derived_table[measure_derived(view->measure)];
	for (size_t i = 0; i < derived->input_count; i++)
		if (metric_differs(set, view->group, derived->inputs[i]))
			return true;
	return false;
}
