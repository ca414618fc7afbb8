// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <strings.h>

#include "base/edit-distance.h"
#include "where-tree.h"

enum { WORD_MAX = 16 };

/* In the order of the columns. */
static const struct where_field fields[] = {
        {"group", true, WHERE_GROUP, 0, false},
        {"metric", true, WHERE_METRIC, 0, false},
        {"section", true, WHERE_SECTION, 0, false},
        {"unit", true, WHERE_UNIT, 0, false},
        {"value", false, WHERE_VALUE, 1, false},
        {"baseline", false, WHERE_BASELINE, 2, false},
        {"candidate", false, WHERE_CANDIDATE, 2, false},
        {"delta", false, WHERE_DELTA, 2, true},
        {"percent", false, WHERE_PERCENT, 2, true},
        {"%", false, WHERE_PERCENT, 2, true},
        {"impact", false, WHERE_IMPACT, 0, false},
        {"threads", false, WHERE_THREADS, 0, false},
        {"seen", false, WHERE_SEEN, 0, false},
};

const struct where_field *where_field_find(struct span name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strlen(fields[i].name) == name.len &&
		    strncasecmp(fields[i].name, name.text, name.len) == 0)
			return &fields[i];
	return NULL;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

const struct where_field *where_field_nearest(struct span name, unsigned sides)
{
	const struct where_field *nearest = NULL;
	char word[WORD_MAX];
	size_t best = 3;

	if (name.len > sizeof(word))
		return NULL;
	for (size_t i = 0; i < name.len; i++)
		word[i] = lower(name.text[i]);

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const char *other = fields[i].name;
		bool begins = name.len >= 3 && name.len < strlen(other) &&
		              strncasecmp(other, name.text, name.len) == 0;
		size_t here = begins ? 1 : edit_distance(word, name.len, other, strlen(other));

		/* At least half of the word must match. */
		if (where_field_exists(&fields[i], sides) && here < best &&
		    2 * here < strlen(other)) {
			best = here;
			nearest = &fields[i];
		}
	}
	return nearest;
}

void where_field_list(struct strbuf *out, unsigned sides, bool numbers_only)
{
	const char *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!where_field_exists(&fields[i], sides) || (numbers_only && fields[i].is_text) ||
		    strcmp(fields[i].name, "%") == 0)
			continue;
		if (last)
			strbuf_addf(out, "%s%s", count > 1 ? ", " : "", last);
		last = fields[i].name;
		count++;
	}
	strbuf_addf(out, " and %s", last);
}
