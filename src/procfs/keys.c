// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "procfs/procfs.h"

/* Values of the map are 1 + the index of a want, so that NULL stays "none". */
static void *index_to_value(size_t index)
{
	return (void *)(uintptr_t)(index + 1);
}

static void add_want(struct source_keys *keys, const char *key, size_t key_len,
                     struct source_want want)
{
	struct strmap_entry *entry = strmap_add(&keys->by_key, key, key_len);

	want.next = entry->value ? (int)((uintptr_t)entry->value - 1) : -1;
	entry->value = index_to_value(keys->count);
	*array_add(keys->wants, keys->count, keys->capacity) = want;
}

static void add_row(struct source_keys *keys, const char *key, struct source_want want)
{
	static const char separator[] = " - ";
	const char *minus = strstr(key, separator);

	if (want.encoding != ENCODING_DOTTED_MS_DIFFERENCE || !minus) {
		add_want(keys, key, strlen(key), want);
		return;
	}
	add_want(keys, key, (size_t)(minus - key), want);
	want.part = 1;
	minus += strlen(separator);
	add_want(keys, minus, strlen(minus), want);
}

static void index_numbers(struct source_keys *keys)
{
	for (unsigned number = 0; number < SOURCE_NUMBERS; number++) {
		char key[12];
		int len = snprintf(key, sizeof(key), "%u", number);
		const struct source_want *want = source_keys_find(keys, key, (size_t)len);

		keys->by_number[number] = want ? (int)(want - keys->wants) : -1;
	}
}

void source_keys_init(struct source_keys *keys, enum metric_source source)
{
	*keys = (struct source_keys){.by_key = STRMAP_INIT};
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_table[i].source == source)
			add_row(keys, metric_table[i].key,
			        (struct source_want){.metric = (enum metric_id)i,
			                             .encoding = metric_table[i].encoding});
	for (size_t i = 0; i < metric_fallback_count; i++)
		if (metric_fallback_table[i].source == source)
			add_row(keys, metric_fallback_table[i].key,
			        (struct source_want){.metric = metric_fallback_table[i].metric,
			                             .encoding =
			                                     metric_fallback_table[i].encoding});
	index_numbers(keys);
	keys->lines = mem_calloc(SOURCE_LINES, sizeof(keys->lines[0]));
}

void source_keys_done(struct source_keys *keys)
{
	strmap_done(&keys->by_key);
	free(keys->wants);
	free(keys->lines);
	*keys = (struct source_keys){.by_key = STRMAP_INIT};
}

const struct source_want *source_keys_find(const struct source_keys *keys, const char *key,
                                           size_t len)
{
	void *value = strmap_get(&keys->by_key, key, len);

	return value ? &keys->wants[(uintptr_t)value - 1] : NULL;
}

const struct source_want *source_keys_find_number(const struct source_keys *keys, unsigned number)
{
	int index = number < SOURCE_NUMBERS ? keys->by_number[number] : -1;

	return index < 0 ? NULL : &keys->wants[index];
}

const struct source_want *source_want_next(const struct source_keys *keys,
                                           const struct source_want *want)
{
	return want->next < 0 ? NULL : &keys->wants[want->next];
}
