// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/rows.h"
#include "window/exit-log.h"

bool row_has_absence(const struct row_set *set, unsigned side)
{
	return set->sides == SIDE_MAX && set->one_boot && !set->is_chosen[side] &&
	       set->frames[SIDE_BASELINE].kind == KIND_window &&
	       set->frames[SIDE_CANDIDATE].kind == KIND_window;
}

/* Returns whether the window does not show threads that ended, and the other one shows that threads of the group do. */
static bool hides_ended(const struct row_set *set, const struct row_group *group, unsigned side)
{
	return !window_exits_are_known(set->frames[side].exits) && group->sides[!side] &&
	       group->sides[!side]->ended > 0;
}

enum row_absence row_absence(const struct row_set *set, const struct row_group *group,
                             unsigned side)
{
	const struct derive_frame *frame = &set->frames[side];

	if (!row_has_absence(set, side) || group->exited || group->sides[side])
		return ABSENCE_NONE;
	if (frame->missed_known && frame->missed == 0)
		return ABSENCE_ZERO;
	return hides_ended(set, group, side) ? ABSENCE_UNKNOWN : ABSENCE_PARTIAL;
}

struct quantity row_absent_value(const struct row_set *set, const struct row_group *group,
                                 unsigned side, unsigned measure, enum measure_per per)
{
	enum row_absence absence = row_absence(set, group, side);
	struct derive_inputs all;

	if (absence == ABSENCE_NONE || absence == ABSENCE_UNKNOWN || !measure_scales(measure) ||
	    per == PER_thread || per == PER_cpu_second)
		return (struct quantity){0};
	all = group_inputs(set->totals[side], set->rate_lists[side], &set->frames[side]);
	if (measure_quantity(measure, per, &all).kind == QUANTITY_NONE)
		return (struct quantity){0};
	return per == PER_second ? quantity_real(0) : quantity_integer(0);
}
