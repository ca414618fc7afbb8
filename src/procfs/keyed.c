// SPDX-License-Identifier: GPL-2.0-or-later
#include "keyed.h"

#include <string.h>

void keyed_set(const struct source_keys *keys, const struct source_want *want, struct span value,
               struct thread_sample *sample)
{
	while (want) {
		if (want->encoding != ENCODING_DOTTED_MS_DIFFERENCE &&
		    !metric_set_has(&sample->seen, want->metric))
			sample_set_text(sample, want->metric, want->encoding, value.text,
			                value.len);
		want = source_want_next(keys, want);
	}
}

static const struct source_want *find_want(const struct source_keys *keys, struct span key,
                                           bool dotted)
{
	const struct source_want *want = source_keys_find(keys, key.text, key.len);
	const char *dot = dotted ? memrchr(key.text, '.', key.len) : NULL;

	if (want || !dot)
		return want;
	return source_keys_find(keys, dot + 1, key.len - (size_t)(dot - key.text) - 1);
}

/* A key ends at the first colon of its line, and so does the stored one. */
static void keep_line(struct source_line *kept, struct span line, const struct source_want *want)
{
	const char *colon = memchr(line.text, ':', line.len);
	size_t len = (size_t)(colon - line.text) + 1;

	kept->len = len <= sizeof(kept->key) ? len : 0;
	memcpy(kept->key, line.text, kept->len);
	kept->want = want;
}

bool keyed_split(const struct source_keys *keys, size_t number, struct span line, bool dotted,
                 const struct source_want **ret_want, struct span *ret_value)
{
	struct source_line *kept = number < SOURCE_LINES ? &keys->lines[number] : NULL;
	struct span key;

	if (kept && kept->len > 0 && kept->len <= line.len &&
	    memcmp(kept->key, line.text, kept->len) == 0) {
		*ret_want = kept->want;
		line = (struct span){line.text + kept->len - 1, line.len - kept->len + 1};
		return !kept->want || scan_pair(line, &key, ret_value);
	}
	if (!scan_pair(line, &key, ret_value))
		return false;
	*ret_want = find_want(keys, key, dotted);
	if (kept)
		keep_line(kept, line, *ret_want);
	return true;
}

enum source_outcome keyed_parse(const struct source_keys *keys, const char *text, size_t len,
                                struct thread_sample *sample)
{
	struct span rest = {text, len}, line, value;
	const struct source_want *want;
	bool any = false;

	for (size_t number = 0; scan_line(&rest, &line); number++) {
		if (!keyed_split(keys, number, line, false, &want, &value))
			continue;
		any = true;
		keyed_set(keys, want, value, sample);
	}
	return any ? OUTCOME_read : OUTCOME_malformed;
}
