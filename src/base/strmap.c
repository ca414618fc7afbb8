// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/strmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { STRMAP_FIRST_SLOTS = 64 };

/* Returns the slot that holds the key, or the empty slot where it belongs. */
static size_t find_slot(const struct strmap *map, const char *key, size_t key_len, uint64_t hash)
{
	size_t slot = hash & (map->slot_count - 1);

	for (;; slot = (slot + 1) & (map->slot_count - 1)) {
		const struct strmap_entry *entry;

		if (map->slots[slot] == 0)
			return slot;
		entry = &map->entries[map->slots[slot] - 1];
		if (entry->hash == hash && entry->key_len == key_len &&
		    memcmp(entry->key, key, key_len) == 0)
			return slot;
	}
}

static void grow_slots(struct strmap *map)
{
	size_t count = map->slot_count ? map->slot_count * 2 : STRMAP_FIRST_SLOTS;

	free(map->slots);
	map->slots = mem_calloc(count, sizeof(map->slots[0]));
	map->slot_count = count;
	for (size_t i = 0; i < map->count; i++) {
		size_t slot = map->entries[i].hash & (count - 1);

		while (map->slots[slot] != 0)
			slot = (slot + 1) & (count - 1);
		map->slots[slot] = (uint32_t)(i + 1);
	}
}

bool strmap_find(const struct strmap *map, const char *key, size_t key_len, uint32_t *ret_place)
{
	size_t slot;

	if (map->slot_count == 0)
		return false;
	slot = find_slot(map, key, key_len, hash_bytes(&map->seed, key, key_len));
	if (map->slots[slot] == 0)
		return false;
	*ret_place = map->slots[slot] - 1;
	return true;
}

void *strmap_get(const struct strmap *map, const char *key, size_t key_len)
{
	uint32_t place;

	return strmap_find(map, key, key_len, &place) ? map->entries[place].value : NULL;
}

struct strmap_entry *strmap_add(struct strmap *map, const char *key, size_t key_len)
{
	struct strmap_entry *entry;
	uint64_t hash;
	size_t slot;

	if (map->slot_count == 0)
		map->seed = hash_seed();
	hash = hash_bytes(&map->seed, key, key_len);
	if ((map->count + 1) * 2 > map->slot_count)
		grow_slots(map);
	slot = find_slot(map, key, key_len, hash);
	if (map->slots[slot] != 0)
		return &map->entries[map->slots[slot] - 1];

	if (map->count >= UINT32_MAX - 1)
		mem_exhausted();
	entry = array_add(map->entries, map->count, map->capacity);
	*entry = (struct strmap_entry){
	        .key = mem_copy(key, key_len), .key_len = key_len, .hash = hash};
	map->slots[slot] = (uint32_t)map->count;
	return entry;
}

void strmap_done(struct strmap *map)
{
	for (size_t i = 0; i < map->count; i++)
		free(map->entries[i].key);
	free(map->entries);
	free(map->slots);
	*map = STRMAP_INIT;
}
