// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-ticks.h"

static bool differs(const struct row_set *set, unsigned side, unsigned measure)
{
	return measure_ticks_differ(measure_unit(measure), set->frames[side].clock_ticks_per_second,
	                            set->frames[SIDE_BASELINE].clock_ticks_per_second);
}

bool row_ticks_differ(const struct row_set *set, unsigned measure)
{
	return differs(set, SIDE_CANDIDATE, measure);
}

bool row_ticks_compare(const struct row_set *set, unsigned measure)
{
	return set->sides == 1 ||
	       measure_ticks_compare(measure_unit(measure),
	                             set->frames[SIDE_CANDIDATE].clock_ticks_per_second,
	                             set->frames[SIDE_BASELINE].clock_ticks_per_second);
}

uint64_t row_ticks_per_second(const struct row_set *set)
{
	/* Numbers in one column have one unit. */
	return set->sides == SIDE_MAX && set->frames[SIDE_CANDIDATE].clock_ticks_per_second == 0
	               ? 0
	               : set->frames[SIDE_BASELINE].clock_ticks_per_second;
}

double row_ticks_factor(const struct row_set *set, unsigned side, unsigned measure)
{
	return measure_ticks_factor(measure_unit(measure), set->frames[side].clock_ticks_per_second,
	                            set->frames[SIDE_BASELINE].clock_ticks_per_second);
}

/* Numbers of one clock stay integers. */
struct quantity row_in_common_ticks(const struct row_set *set, unsigned side, unsigned measure,
                                    struct quantity value)
{
	if (value.kind == QUANTITY_NONE || !differs(set, side, measure))
		return value;
	return quantity_real(quantity_double(value) * row_ticks_factor(set, side, measure));
}
