// SPDX-License-Identifier: GPL-2.0-or-later
/* How two windows know what threads did that ended in them. */
#include "ctprof/rows.h"

/* Why nobody listened makes no difference. */
static enum window_exits exits_known(enum window_exits exits)
{
	return exits == WINDOW_EXITS_recorded || exits == WINDOW_EXITS_completed
	               ? exits
	               : WINDOW_EXITS_skipped;
}

bool row_group_is_measured_differently(const struct row_set *set, const struct row_group *group)
{
	const struct group *baseline = group->sides[SIDE_BASELINE];
	const struct group *candidate = group->sides[SIDE_CANDIDATE];

	return set->frames[SIDE_BASELINE].kind == KIND_window && baseline && candidate &&
	       (baseline->ended > 0 || candidate->ended > 0) &&
	       exits_known(set->frames[SIDE_BASELINE].exits) !=
	               exits_known(set->frames[SIDE_CANDIDATE].exits);
}
