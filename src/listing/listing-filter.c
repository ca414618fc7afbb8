// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "ctprof/base/macro.h"
#include "listing/listing.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

static char *lower(const char *text, size_t len)
{
	char *copy = mem_copy(text, len);

	for (size_t i = 0; i < len; i++)
		copy[i] = (char)tolower((unsigned char)copy[i]);
	return copy;
}

static bool is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

/* Returns whether a name has the pattern in it, or is like the glob; both are in small letters. */
static bool name_fits(const char *pattern, const char *name)
{
	return is_glob(pattern) ? glob_match_name(pattern, name, strlen(name))
	                        : strstr(name, pattern) != NULL;
}

/* Returns whether a word of the text begins with the pattern, or is like the glob. */
static bool word_fits(const char *pattern, const char *text)
{
	for (size_t len; *text; text += len) {
		text += strcspn(text, letters);
		len = strspn(text, letters);
		if (is_glob(pattern) ? len > 0 && glob_match_name(pattern, text, len)
		                     : len > 0 && strncmp(text, pattern, strlen(pattern)) == 0)
			return true;
	}
	return false;
}

static bool fits(bool (*check)(const char *, const char *), const char *pattern,
                 const json_t *value)
{
	cleanup_(mem_freep) char *text = NULL;

	if (!json_is_string(value))
		return false;
	text = lower(json_string_value(value), json_string_length(value));
	return check(pattern, text);
}

static bool section_fits(const char *pattern, enum metric_section section)
{
	const char *name;

	if (section == SECTION_COUNT)
		return false;
	name = section_table[section].name;
	return is_glob(pattern) ? glob_match_name(pattern, name, strlen(name))
	                        : strcmp(pattern, name) == 0;
}

static bool row_fits(const char *pattern, const struct listing_row *row)
{
	static const char *const texts[] = {"description", "meaning"};
	json_t *first = json_object_iter_value(json_object_iter(row->table));

	if (fits(name_fits, pattern, first) ||
	    fits(name_fits, pattern, json_object_get(row->json, "name")) ||
	    fits(name_fits, pattern, json_object_get(row->table, "key")) ||
	    fits(name_fits, pattern, json_object_get(row->json, "key")) ||
	    section_fits(pattern, row->section))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (fits(word_fits, pattern, json_object_get(row->table, texts[i])) ||
		    fits(word_fits, pattern, json_object_get(row->json, texts[i])))
			return true;
	return false;
}

static bool any_fits(const char *const *patterns, const struct listing_row *row)
{
	for (; *patterns; patterns++) {
		cleanup_(mem_freep) char *pattern = lower(*patterns, strlen(*patterns));

		if (row_fits(pattern, row))
			return true;
	}
	return false;
}

void listing_rows_filter(struct listing_rows *rows, const char *const *patterns)
{
	size_t kept = 0;

	if (!*patterns)
		return;
	for (size_t i = 0; i < rows->count; i++) {
		if (any_fits(patterns, &rows->rows[i]))
			rows->rows[kept++] = rows->rows[i];
		else
			listing_row_done(&rows->rows[i]);
	}
	rows->count = kept;
}
