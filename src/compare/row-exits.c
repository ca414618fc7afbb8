// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-exits.h"

#include "row-ended-names.h"
#include "row-hidden.h"
#include "row-unread.h"
#include "window/exit-log.h"

/* Returns a bit for each enum exit_part that the metric has in the window. */
static unsigned parts_in(const struct derive_frame *frame, enum metric_id metric)
{
	unsigned parts = 1u << exit_part_of(metric, frame->exits);

	for (unsigned i = 0; i < WINDOW_EXITS_COUNT; i++)
		if (frame->exits_also >> i & 1)
			parts |= 1u << exit_part_of(metric, (enum window_exits)i);
	return parts;
}

/* Returns whether the sides are sums of which some windows or hosts give more of the metric than others: which of them are on both sides
 * is unknown. */
static bool is_of_unlike_parts(const struct row_set *set, enum metric_id metric)
{
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		unsigned parts = parts_in(&set->frames[side], metric);

		if ((parts & (parts - 1)) != 0)
			return true;
	}
	return false;
}

/* Returns whether the group may lack threads in a window without records of ends. The CPU time that they can have used bounds that alone:
 * in a moment of it a thread can wait, switch or write as often as others in hours. A thread that both windows have does not end, and a
 * process that one does not have was not there. */
static bool may_hide_many(const struct row_set *set, const struct row_group *group, unsigned side,
                          enum metric_id metric)
{
	if (window_exits_are_known(set->frames[side].exits) ||
	    group_by_has(&set->by, GROUP_KEY_thread) ||
	    (!group->sides[side] && group_by_has(&set->by, GROUP_KEY_pid) &&
	     !group_by_has_thread_key(&set->by)))
		return false;
	return metric_table[metric].bound != BOUND_running || row_hides_many(set, group, side, 0);
}

bool row_ends_differ(const struct row_set *set, const struct row_group *group,
                     enum metric_id metric)
{
	enum exit_part baseline = exit_part_of(metric, set->frames[SIDE_BASELINE].exits);
	enum exit_part candidate = exit_part_of(metric, set->frames[SIDE_CANDIDATE].exits);
	unsigned lesser = baseline < candidate ? SIDE_BASELINE : SIDE_CANDIDATE;

	for (unsigned side = 0; side < SIDE_MAX; side++)
		if (!group->sides[side] && row_absence(set, group, side) == ABSENCE_NONE)
			return false;
	if (is_of_unlike_parts(set, metric) ||
	    (row_ended_names_differ(set, group) && baseline + candidate > EXIT_PART_NOTHING))
		return row_ended_in(set, group, SIDE_BASELINE) +
		               row_ended_in(set, group, SIDE_CANDIDATE) >
		       0;
	if (baseline == candidate)
		return baseline != EXIT_PART_NOTHING && row_has_missed_many(set, group);
	if (row_ended_in(set, group, lesser) > 0)
		return true;
	if (!row_may_have_missed(&set->frames[lesser]))
		return false;
	return row_ended_in(set, group, !lesser) > 0 ||
	       row_absence(set, group, lesser) == ABSENCE_UNKNOWN ||
	       may_hide_many(set, group, lesser, metric);
}

static bool is_unlike(const struct row_set *set, const struct row_group *group,
                      enum metric_id metric)
{
	return row_unread_may_have(set, group, metric) ||
	       (set->frames[SIDE_BASELINE].kind == KIND_window &&
	        set->frames[SIDE_CANDIDATE].kind == KIND_window &&
	        row_ends_differ(set, group, metric));
}

bool row_is_measured_differently(const struct row_set *set, const struct row_view *view)
{
	const struct derived_desc *derived;

	if (!row_has_value(view, SIDE_BASELINE) && !row_has_value(view, SIDE_CANDIDATE))
		return false;
	if (!measure_is_derived(view->measure))
		return is_unlike(set, view->group, (enum metric_id)view->measure);
	derived = &derived_table[measure_derived(view->measure)];
	for (size_t i = 0; i < derived->input_count; i++)
		if (is_unlike(set, view->group, derived->inputs[i]))
			return true;
	return false;
}
