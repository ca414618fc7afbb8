// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group.h"

/* Returns whether the metric's total lacks them; sets @ret_has_total if it has one. */
static bool total_lacks_exited(const struct group *group, enum metric_id metric,
                               bool *ret_has_total)
{
	*ret_has_total = false;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		if (process_total_table[i].metric != metric)
			continue;
		*ret_has_total = true;
		if ((group->exited_left_out >> i & 1) ||
		    (group->exited_unseen >> process_source(process_total_table[i].source) & 1))
			return true;
	}
	return false;
}

/* A lifetime has a counter without a total of the living alone. In a window each thread that ended there is to have a row. */
static bool rows_lack_exited(const struct group *group, const struct derive_frame *frame,
                             enum metric_id metric)
{
	return frame->kind == KIND_window && !window_exits_are_known(frame->exits) &&
	       metric_is_counter(metric) && metric != METRIC_lived_ns &&
	       (group->exited_unseen & GROUP_EXITED_RAN);
}

bool group_lacks_exited(const struct group *group, const struct derive_frame *frame,
                        enum metric_id metric)
{
	bool has_total;

	return total_lacks_exited(group, metric, &has_total) ||
	       (!has_total && rows_lack_exited(group, frame, metric));
}
