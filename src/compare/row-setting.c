// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/row-setting.h"

#include "group/group-elders.h"

enum { SERVICE_SECONDS = 5 };

static bool has_same_threads(const struct group *a, const struct group *b)
{
	return a->threads == b->threads && a->members == b->members;
}

static bool is_of_service(const struct row_set *set, const struct group *baseline)
{
	uint64_t birth = group_elders_birth(baseline);
	uint64_t last = set->last_birth_clock_ticks[SIDE_BASELINE];

	return birth < last &&
	       last - birth >= SERVICE_SECONDS * set->frames[SIDE_BASELINE].clock_ticks_per_second;
}

static bool is_disjoint(enum metric_id metric, const struct fold_cell *a, const struct fold_cell *b)
{
	return metric_table[metric].rule == RULE_RANGE &&
	       (a->range.high < b->range.low || b->range.high < a->range.low);
}

bool row_is_set_differently(const struct row_set *set, const struct row_view *view,
                            struct fold_cell cells[SIDE_MAX])
{
	enum metric_id metric = (enum metric_id)view->measure;
	const struct group *const *sides = view->sides;
	const struct fold_cell *a = view->cells[SIDE_BASELINE], *b = view->cells[SIDE_CANDIDATE];
	uint32_t changed;

	if (!a || !b || a->seen == 0 || b->seen == 0)
		return false;
	if (set->one_boot && !has_same_threads(sides[SIDE_BASELINE], sides[SIDE_CANDIDATE])) {
		if (group_elders_compare(sides[SIDE_BASELINE], sides[SIDE_CANDIDATE], metric, cells,
		                         &changed) > 0)
			return changed > 0;
		if (!is_disjoint(metric, a, b) || !is_of_service(set, sides[SIDE_BASELINE]))
			return false;
	}
	if (fold_equal(metric, a, b))
		return false;
	fold_merge(metric, &cells[SIDE_BASELINE], a);
	fold_merge(metric, &cells[SIDE_CANDIDATE], b);
	return true;
}
