// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/scan.h"
#include "procfs/procfs.h"

enum { SCHEDSTAT_FIELDS = 3 };

/* Splits the text into exactly three words. */
static bool split(const char *text, size_t len, struct span ret_words[static SCHEDSTAT_FIELDS])
{
	struct span rest = {text, len}, extra;

	for (int i = 0; i < SCHEDSTAT_FIELDS; i++)
		if (!scan_word(&rest, &ret_words[i]))
			return false;
	return !scan_word(&rest, &extra);
}

bool schedstat_is_zero(const char *text, size_t len)
{
	struct span words[SCHEDSTAT_FIELDS];

	if (!split(text, len, words))
		return false;
	for (int i = 0; i < SCHEDSTAT_FIELDS; i++)
		if (!span_is(words[i], "0"))
			return false;
	return true;
}

enum source_outcome schedstat_parse(const struct source_keys *keys, const char *text, size_t len,
                                    struct thread_sample *sample)
{
	struct span words[SCHEDSTAT_FIELDS];

	if (!split(text, len, words))
		return OUTCOME_malformed;
	for (int i = 0; i < SCHEDSTAT_FIELDS; i++) {
		const struct source_want *want = source_keys_find_number(keys, (unsigned)i + 1);

		while (want) {
			sample_set_text(sample, want->metric, want->encoding, words[i].text,
			                words[i].len);
			want = source_want_next(keys, want);
		}
	}
	return OUTCOME_read;
}
