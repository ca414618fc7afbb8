// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/base/keyed-values.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A search through so few entries is cheaper than a hash. */
enum { SHORT_LIST = 16, FIRST_CAPACITY = 32 };

static bool is_key(const struct keyed_value *entry, const char *key, size_t key_len)
{
	return strncmp(entry->key, key, key_len) == 0 && entry->key[key_len] == '\0';
}

/* Returns the slot that holds the key, or the empty one where it belongs. */
static size_t find_slot(const struct keyed_values *values, const char *key, size_t key_len)
{
	size_t mask = values->slot_count - 1;
	size_t slot = hash_bytes(&values->seed, key, key_len) & mask;

	while (values->slots[slot] != 0 &&
	       !is_key(&values->entries[values->slots[slot] - 1], key, key_len))
		slot = (slot + 1) & mask;
	return slot;
}

struct keyed_value *keyed_values_find(const struct keyed_values *values, const char *key,
                                      size_t key_len, size_t hint)
{
	if (hint < values->count && is_key(&values->entries[hint], key, key_len))
		return &values->entries[hint];
	if (values->count > SHORT_LIST) {
		uint32_t index = values->slots[find_slot(values, key, key_len)];

		return index == 0 ? NULL : &values->entries[index - 1];
	}
	for (size_t i = 0; i < values->count; i++)
		if (is_key(&values->entries[i], key, key_len))
			return &values->entries[i];
	return NULL;
}

static void grow(struct keyed_values *values)
{
	size_t old = values->capacity;

	array_reserve(values->entries, values->capacity, old ? old + 1 : FIRST_CAPACITY);
	memset(values->entries + old, 0, (values->capacity - old) * sizeof(values->entries[0]));
}

static void index_entry(struct keyed_values *values, size_t index)
{
	const char *key = values->entries[index].key;

	values->slots[find_slot(values, key, strlen(key))] = (uint32_t)index + 1;
}

/* Makes the slots when the list is no longer short, and keeps them at most half full. */
static void index_last(struct keyed_values *values)
{
	if (values->count <= SHORT_LIST)
		return;
	if (values->count > SHORT_LIST + 1 && values->count * 2 <= values->slot_count) {
		index_entry(values, values->count - 1);
		return;
	}
	if (values->slot_count == 0)
		values->seed = hash_seed();
	if (values->count * 2 > values->slot_count) {
		values->slot_count = values->capacity * 2;
		values->slots =
		        mem_realloc(values->slots, values->slot_count, sizeof(values->slots[0]));
	}
	memset(values->slots, 0, values->slot_count * sizeof(values->slots[0]));
	for (size_t i = 0; i < values->count; i++)
		index_entry(values, i);
}

void keyed_values_set(struct keyed_values *values, const char *key, size_t key_len, uint64_t value)
{
	struct keyed_value *entry = keyed_values_find(values, key, key_len, values->count);

	if (entry) {
		entry->value = value;
		return;
	}
	if (values->count == values->capacity)
		grow(values);
	entry = &values->entries[values->count++];
	if (entry->key_size <= key_len) {
		entry->key_size = key_len + 1;
		entry->key = mem_realloc(entry->key, entry->key_size, 1);
	}
	memcpy(entry->key, key, key_len);
	entry->key[key_len] = '\0';
	entry->value = value;
	index_last(values);
}

void keyed_values_add(struct keyed_values *values, const char *key, size_t key_len, uint64_t value)
{
	struct keyed_value *entry = keyed_values_find(values, key, key_len, 0);

	if (entry)
		saturating_add_to(&entry->value, value);
	else
		keyed_values_set(values, key, key_len, value);
}

void keyed_values_clear(struct keyed_values *values)
{
	values->count = 0;
}

void keyed_values_done(struct keyed_values *values)
{
	for (size_t i = 0; i < values->capacity; i++)
		free(values->entries[i].key);
	free(values->entries);
	free(values->slots);
	*values = (struct keyed_values){0};
}
