// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-unread.h"

#include <math.h>
#include <string.h>

#include "group/unread-name.h"

enum { SMALL_PARTS = 10 };

/* Processes come and go: one more or less is no other way to read them. */
bool row_unread_differs(const struct row_set *set)
{
	enum { FEW = 3, TIMES = 2, SMALL_PERCENT = 10 };
	const struct group_names *a = &set->names[SIDE_BASELINE], *b = &set->names[SIDE_CANDIDATE];
	uint64_t more = a->unread > b->unread ? a->unread : b->unread;
	uint64_t less = a->unread + b->unread - more;

	if (set->sides < SIDE_MAX || more - less < FEW)
		return false;
	return more >= TIMES * less ||
	       fabs(100.0 * (double)a->unread / (double)a->count -
	            100.0 * (double)b->unread / (double)b->count) >= SMALL_PERCENT;
}

const struct group *row_unread_group(const struct group_table *table,
                                     const struct strmap_entry *entry,
                                     const struct group_table *other)
{
	struct span patterns[GROUP_KEYS_MAX];
	bool any = false;

	for (unsigned i = 0; i < table->by.count; i++) {
		const char *name = unread_name(table->by.keys[i]);

		patterns[i] = name ? (struct span){name, strlen(name)}
		                   : group_table_pattern(table, entry, i);
		any = any || name;
	}
	return any ? group_table_find(other, patterns) : NULL;
}

/* Returns the value, by the second in a window. */
static double value_in(const struct row_set *set, unsigned side, const struct group *group,
                       enum metric_id metric)
{
	uint64_t length_ns = set->frames[side].length_ns;

	if (!group)
		return 0;
	return (double)group_number(group, metric).number / (length_ns > 0 ? (double)length_ns : 1);
}

bool row_unread_may_have(const struct row_set *set, const struct row_group *group,
                         enum metric_id metric)
{
	const struct row_unread *unread;
	double most = 0, hidden = 0;

	if (group->unread == 0)
		return false;
	unread = &set->unreads[group->unread - 1];
	if (metric_table[metric].rule != RULE_SUM)
		return true;
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		most = fmax(most, value_in(set, side, group->sides[side], metric));
		hidden = fmax(hidden, value_in(set, side, unread->sides[side], metric));
	}
	return hidden > 0 && hidden * SMALL_PARTS >= most;
}
