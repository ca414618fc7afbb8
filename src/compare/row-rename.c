// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-rename.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "group/rename-match.h"

/* A type of thread is what the other keys call it: a process and a thread name, say. */
struct renaming {
	struct row_pairs *pairs;
	unsigned key; /* the one that is the cgroup */
	struct strmap
	        types; /* the other names, as the baseline numbers them; a type's number is its place */
	struct rename_cgroup *cgroups[SIDE_MAX]; /* by the number of the name; owned */
	uint32_t *type_numbers[SIDE_MAX];        /* what the cgroups' types point into; owned */
};

/* The number of an entry's type on both sides. */
static uint32_t type_of(struct renaming *renaming, unsigned side, const struct strmap_entry *entry)
{
	const struct row_pairs *pairs = renaming->pairs;
	unsigned count = pairs->tables[SIDE_BASELINE]->by.count;
	/* A bit that no number has marks names of the candidate only. */
	const uint32_t candidate_only = UINT32_C(1) << 31;
	uint32_t numbers[GROUP_KEYS_MAX];
	const struct strmap_entry *type;

	for (unsigned key = 0; key < count; key++) {
		uint32_t number = row_pairs_number(entry, key), other = number;

		if (side == SIDE_CANDIDATE) {
			other = pairs->elsewhere[side][key][number];
			if (other == NO_PLACE)
				other = number | candidate_only;
		}
		numbers[key] = key == renaming->key ? 0 : other;
	}
	type = strmap_add(&renaming->types, (const char *)numbers, count * sizeof(numbers[0]));
	return (uint32_t)(type - renaming->types.entries);
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *number_a = a, *number_b = b;

	return (*number_a > *number_b) - (*number_a < *number_b);
}

/* A path, and not what stands for the lack of one. */
static bool is_path(const struct strmap_entry *name)
{
	return memchr(name->key, '/', name->key_len) != NULL && name->key[0] != '(';
}

static bool is_paired(const struct row_pairs *pairs, unsigned side, uint32_t place)
{
	return (side == SIDE_BASELINE ? pairs->first[place] : pairs->to_baseline[place]) !=
	       NO_PLACE;
}

/* Threads that have exited make no type: they say what a cgroup was, not what it is. */
static bool is_type(const struct strmap_entry *entry)
{
	const struct group *group = entry->value;

	return group->threads > 0;
}

/* The cgroups of one side, with the types of thread in them. A type is in a cgroup once: it is a group. */
static void describe_side(struct renaming *renaming, unsigned side)
{
	const struct group_table *table = renaming->pairs->tables[side];
	const struct strmap *names = &table->names[renaming->key].map;
	struct rename_cgroup *cgroups = mem_calloc(names->count + 1, sizeof(*cgroups));
	uint32_t *numbers = mem_calloc(table->map.count + 1, sizeof(*numbers));
	cleanup_(mem_freep) size_t *at = mem_calloc(names->count + 1, sizeof(*at));

	renaming->cgroups[side] = cgroups;
	renaming->type_numbers[side] = numbers;
	for (size_t i = 0; i < table->map.count; i++)
		if (is_type(&table->map.entries[i]))
			cgroups[row_pairs_number(&table->map.entries[i], renaming->key)]
			        .type_count++;
	for (size_t i = 0; i < names->count; i++) {
		cgroups[i].path = names->entries[i].key;
		cgroups[i].path_len = names->entries[i].key_len;
		cgroups[i].types = numbers + at[i];
		cgroups[i].matched = !is_path(&names->entries[i]);
		at[i + 1] = at[i] + cgroups[i].type_count;
	}
	for (uint32_t i = 0; i < table->map.count; i++) {
		uint32_t cgroup = row_pairs_number(&table->map.entries[i], renaming->key);

		if (!is_type(&table->map.entries[i]))
			continue;
		numbers[at[cgroup]++] = type_of(renaming, side, &table->map.entries[i]);
		cgroups[cgroup].matched =
		        cgroups[cgroup].matched || is_paired(renaming->pairs, side, i);
	}
	for (size_t i = 0; i < names->count; i++)
		qsort(numbers + (cgroups[i].types - numbers), cgroups[i].type_count,
		      sizeof(*numbers), by_number);
}

static void join_groups(struct renaming *renaming, const struct rename_map *map)
{
	struct row_pairs *pairs = renaming->pairs;
	const struct strmap *candidates = &pairs->tables[SIDE_CANDIDATE]->map;

	for (uint32_t i = 0; i < candidates->count; i++) {
		const struct strmap_entry *entry = &candidates->entries[i];
		const struct rename_pair *pair;
		uint32_t place;

		if (is_paired(pairs, SIDE_CANDIDATE, i))
			continue;
		pair = rename_map_find(map, row_pairs_number(entry, renaming->key));
		if (!pair)
			continue;
		place = row_pairs_find(pairs, entry, (uint32_t)pair->baseline);
		if (place != NO_PLACE)
			row_pairs_join(pairs, place, i);
	}
}

static char *label_of(const struct row_pairs *pairs, unsigned side, unsigned key, size_t number)
{
	const struct key_names *names[SIDE_MAX] = {&pairs->tables[SIDE_BASELINE]->names[key],
	                                           &pairs->tables[SIDE_CANDIDATE]->names[key]};
	const struct strmap_entry *name = &names[side]->map.entries[number];
	struct span shown =
	        key_names_shown(names, SIDE_MAX, (struct span){name->key, name->key_len});
	cleanup_(strbuf_done) struct strbuf label = STRBUF_INIT;

	text_add_escaped(&label, shown.text, shown.len);
	return mem_copy(strbuf_str(&label), label.len);
}

static void list_renames(struct row_set *set, const struct renaming *renaming,
                         const struct rename_map *map)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct rename_pair *pair = &map->pairs[i];
		size_t numbers[SIDE_MAX] = {pair->baseline, pair->candidate};
		struct row_rename *rename;

		if (pair->cascaded)
			continue;
		rename = array_add(set->renames, set->rename_count, set->rename_capacity);
		*rename = (struct row_rename){.overlap = (uint32_t)pair->overlap,
		                              .cascaded = (uint32_t)pair->children};
		for (unsigned side = 0; side < SIDE_MAX; side++) {
			rename->types[side] =
			        (uint32_t)renaming->cgroups[side][numbers[side]].type_count;
			rename->labels[side] =
			        label_of(renaming->pairs, side, renaming->key, numbers[side]);
		}
	}
}

void row_rename(struct row_set *set, struct row_pairs *pairs)
{
	struct renaming renaming = {.pairs = pairs, .types = STRMAP_INIT};
	cleanup_(rename_map_done) struct rename_map map = RENAME_MAP_INIT;
	struct rename_side sides[SIDE_MAX];

	while (renaming.key < set->by.count && set->by.keys[renaming.key] != GROUP_KEY_cgroup)
		renaming.key++;
	if (set->by.count < 2 || renaming.key == set->by.count)
		return;
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		describe_side(&renaming, side);
		sides[side] = (struct rename_side){
		        renaming.cgroups[side], pairs->tables[side]->names[renaming.key].map.count};
	}
	rename_match(&sides[SIDE_BASELINE], &sides[SIDE_CANDIDATE], &map);
	join_groups(&renaming, &map);
	list_renames(set, &renaming, &map);
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		free(renaming.cgroups[side]);
		free(renaming.type_numbers[side]);
	}
	strmap_done(&renaming.types);
}
