// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-carried.h"

#include "base/mem.h"
#include "base/strmap.h"

struct group *row_interval_at(const struct row_pairs *pairs, const struct group_table *interval,
                              unsigned side, uint32_t place)
{
	const struct group_table *table = pairs->tables[side];
	struct span patterns[GROUP_KEYS_MAX];

	for (unsigned key = 0; key < table->by.count; key++)
		patterns[key] = group_table_pattern(table, &table->map.entries[place], key);
	return group_table_find(interval, patterns);
}

/* Fingerprints of the groups of the first table that are not paired, to their places plus one. */
static void find_left(const struct row_pairs *pairs, struct strmap *left)
{
	const struct strmap *map = &pairs->tables[SIDE_BASELINE]->map;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct group *group = map->entries[i].value;

		if (pairs->first[i] == NO_PLACE && group->threads > 0)
			strmap_add(left, (const char *)&group->members, sizeof(group->members))
			        ->value = (void *)(uintptr_t)(i + 1);
	}
}

bool *row_carried(struct row_pairs *pairs, const struct group_table *interval)
{
	const struct strmap *candidates = &pairs->tables[SIDE_CANDIDATE]->map;
	bool *carried = mem_calloc(pairs->tables[SIDE_BASELINE]->map.count + 1, sizeof(*carried));
	cleanup_(strmap_done) struct strmap left = STRMAP_INIT;

	find_left(pairs, &left);
	for (uint32_t i = 0; i < candidates->count; i++) {
		const struct group *group;
		uintptr_t place;

		if (pairs->to_baseline[i] != NO_PLACE)
			continue;
		group = interval ? row_interval_at(pairs, interval, SIDE_CANDIDATE, i)
		                 : candidates->entries[i].value;
		if (!group || group->continued == 0)
			continue;
		place = (uintptr_t)strmap_get(&left, (const char *)&group->continued_members,
		                              sizeof(group->continued_members));
		if (place == 0 || pairs->first[place - 1] != NO_PLACE)
			continue;
		row_pairs_join(pairs, (uint32_t)(place - 1), i);
		carried[place - 1] = true;
	}
	return carried;
}
