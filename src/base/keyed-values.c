// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/keyed-values.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/mem.h"

static bool is_key(const struct keyed_value *entry, const char *key, size_t key_len)
{
	return strncmp(entry->key, key, key_len) == 0 && entry->key[key_len] == '\0';
}

struct keyed_value *keyed_values_find(const struct keyed_values *values, const char *key,
                                      size_t key_len, size_t hint)
{
	if (hint < values->count && is_key(&values->entries[hint], key, key_len))
		return &values->entries[hint];
	for (size_t i = 0; i < values->count; i++)
		if (is_key(&values->entries[i], key, key_len))
			return &values->entries[i];
	return NULL;
}

void keyed_values_set(struct keyed_values *values, const char *key, size_t key_len, uint64_t value)
{
	struct keyed_value *entry = keyed_values_find(values, key, key_len, values->count);

	if (!entry) {
		if (values->count == values->capacity) {
			size_t capacity = values->capacity ? values->capacity * 2 : 32;

			values->entries =
			        mem_realloc(values->entries, capacity, sizeof(values->entries[0]));
			memset(values->entries + values->capacity, 0,
			       (capacity - values->capacity) * sizeof(values->entries[0]));
			values->capacity = capacity;
		}
		entry = &values->entries[values->count++];
		if (entry->key_size <= key_len) {
			entry->key_size = key_len + 1;
			entry->key = mem_realloc(entry->key, entry->key_size, 1);
		}
		memcpy(entry->key, key, key_len);
		entry->key[key_len] = '\0';
	}
	entry->value = value;
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
	*values = (struct keyed_values){0};
}
