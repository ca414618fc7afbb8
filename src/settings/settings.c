// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/settings/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void settings_add(struct settings *settings, const char *name, size_t name_len, const char *text,
                  size_t text_len)
{
	*array_add(settings->entries, settings->count, settings->capacity) = (struct setting){
	        .name = mem_copy(name, name_len),
	        .text = mem_copy(text, text_len),
	};
}

void settings_add_denied(struct settings *settings, const char *name, size_t len)
{
	*array_add(settings->denied, settings->denied_count, settings->denied_capacity) =
	        mem_copy(name, len);
}

static void setting_done(struct setting *setting)
{
	free(setting->name);
	free(setting->text);
	free(setting->before);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct setting *)a)->name, ((const struct setting *)b)->name);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void settings_sort(struct settings *settings)
{
	size_t kept = 0;

	if (settings->count > 0)
		qsort(settings->entries, settings->count, sizeof(settings->entries[0]), by_name);
	for (size_t i = 0; i < settings->count; i++) {
		struct setting *entry = &settings->entries[i];

		if (kept > 0 && strcmp(settings->entries[kept - 1].name, entry->name) == 0)
			setting_done(&settings->entries[--kept]);
		settings->entries[kept++] = *entry;
	}
	settings->count = kept;
	if (settings->denied_count > 0)
		qsort(settings->denied, settings->denied_count, sizeof(settings->denied[0]),
		      by_text);
}

void settings_copy(struct settings *to, const struct settings *from)
{
	*to = (struct settings){.seen = from->seen, .left_out = from->left_out};
	for (size_t i = 0; i < from->count; i++) {
		const struct setting *entry = &from->entries[i];

		settings_add(to, entry->name, strlen(entry->name), entry->text,
		             strlen(entry->text));
		if (entry->before)
			setting_set_before(&to->entries[i], entry->before);
	}
	for (size_t i = 0; i < from->denied_count; i++)
		settings_add_denied(to, from->denied[i], strlen(from->denied[i]));
}

struct setting *settings_find(const struct settings *settings, const char *name)
{
	const struct setting key = {.name = (char *)name};

	if (settings->count == 0)
		return NULL;
	return bsearch(&key, settings->entries, settings->count, sizeof(settings->entries[0]),
	               by_name);
}

void setting_set_before(struct setting *setting, const char *text)
{
	free(setting->before);
	setting->before = mem_copy_text(text);
}

void settings_note_changes(struct settings *last, const struct settings *first)
{
	if (!last->seen || !first->seen)
		return;
	for (size_t i = 0; i < first->count; i++) {
		const struct setting *then = &first->entries[i];
		struct setting *now = settings_find(last, then->name);

		if (now && strcmp(now->text, then->text) != 0)
			setting_set_before(now, then->text);
	}
}

void settings_done(struct settings *settings)
{
	for (size_t i = 0; i < settings->count; i++)
		setting_done(&settings->entries[i]);
	for (size_t i = 0; i < settings->denied_count; i++)
		free(settings->denied[i]);
	free(settings->entries);
	free(settings->denied);
	*settings = (struct settings){0};
}
