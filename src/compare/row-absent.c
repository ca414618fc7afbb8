// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/rows.h"

bool row_has_absence(const struct row_set *set)
{
	return set->sides == SIDE_MAX && set->one_boot &&
	       set->frames[SIDE_BASELINE].kind == KIND_window &&
	       set->frames[SIDE_CANDIDATE].kind == KIND_window;
}

enum row_absence row_absence(const struct row_set *set, const struct row_group *group,
                             unsigned side)
{
	const struct derive_frame *frame = &set->frames[side];

	if (!row_has_absence(set) || group->exited || group->sides[side])
		return ABSENCE_NONE;
	return frame->missed_known && frame->missed == 0 ? ABSENCE_ZERO : ABSENCE_PARTIAL;
}

struct quantity row_absent_value(const struct row_set *set, const struct row_group *group,
                                 unsigned side, unsigned measure, enum measure_per per)
{
	struct derive_inputs all;

	if (row_absence(set, group, side) == ABSENCE_NONE || !measure_scales(measure) ||
	    per == PER_thread || per == PER_cpu_second)
		return (struct quantity){0};
	all = group_inputs(set->totals[side], set->rate_lists[side], &set->frames[side]);
	if (measure_quantity(measure, per, &all).kind == QUANTITY_NONE)
		return (struct quantity){0};
	return per == PER_second ? quantity_real(0) : quantity_integer(0);
}
