// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

uint32_t row_pairs_number(const struct strmap_entry *entry, unsigned key)
{
	uint32_t number;

	memcpy(&number, entry->key + key * sizeof(number), sizeof(number));
	return number;
}

static uint32_t *none(size_t count)
{
	uint32_t *places = mem_calloc(count > 0 ? count : 1, sizeof(*places));

	memset(places, 0xff, count * sizeof(*places));
	return places;
}

/* Returns the numbers of this table's names in the other table. */
static uint32_t *translate(const struct strmap *from, const struct strmap *to)
{
	uint32_t *numbers = none(from->count);

	for (size_t i = 0; i < from->count; i++)
		if (!strmap_find(to, from->entries[i].key, from->entries[i].key_len, &numbers[i]))
			numbers[i] = NO_PLACE;
	return numbers;
}

uint32_t row_pairs_find(const struct row_pairs *pairs, const struct strmap_entry *candidate,
                        uint32_t cgroup)
{
	const struct group_table *baseline = pairs->tables[SIDE_BASELINE];
	uint32_t numbers[GROUP_KEYS_MAX], place;

	for (unsigned key = 0; key < baseline->by.count; key++) {
		uint32_t number = row_pairs_number(candidate, key);

		numbers[key] = pairs->elsewhere[SIDE_CANDIDATE][key][number];
		if (baseline->by.keys[key] == GROUP_KEY_cgroup && cgroup != NO_PLACE)
			numbers[key] = cgroup;
		if (numbers[key] == NO_PLACE)
			return NO_PLACE;
	}
	return strmap_find(&baseline->map, (const char *)numbers,
	                   baseline->by.count * sizeof(numbers[0]), &place)
	               ? place
	               : NO_PLACE;
}

void row_pairs_join(struct row_pairs *pairs, uint32_t baseline, uint32_t candidate)
{
	pairs->to_baseline[candidate] = baseline;
	pairs->next[candidate] = pairs->first[baseline];
	pairs->first[baseline] = candidate;
}

void row_pairs_init(struct row_pairs *pairs, const struct group_table *const *tables,
                    unsigned sides)
{
	const struct strmap *candidates;

	*pairs = (struct row_pairs){.tables = {tables[0], sides == SIDE_MAX ? tables[1] : NULL}};
	pairs->first = none(tables[0]->map.count);
	if (sides < SIDE_MAX)
		return;
	for (unsigned side = 0; side < sides; side++)
		for (unsigned key = 0; key < tables[0]->by.count; key++)
			pairs->elsewhere[side][key] = translate(&tables[side]->names[key].map,
			                                        &tables[!side]->names[key].map);
	candidates = &tables[SIDE_CANDIDATE]->map;
	pairs->to_baseline = none(candidates->count);
	pairs->next = none(candidates->count);
	for (uint32_t i = 0; i < candidates->count; i++) {
		uint32_t place = row_pairs_find(pairs, &candidates->entries[i], NO_PLACE);

		if (place != NO_PLACE)
			row_pairs_join(pairs, place, i);
	}
}

void row_pairs_done(struct row_pairs *pairs)
{
	for (unsigned side = 0; side < SIDE_MAX; side++)
		for (unsigned key = 0; key < GROUP_KEYS_MAX; key++)
			free(pairs->elsewhere[side][key]);
	free(pairs->to_baseline);
	free(pairs->first);
	free(pairs->next);
	*pairs = (struct row_pairs){0};
}
