// SPDX-License-Identifier: GPL-2.0-or-later
#include "keyed.h"

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

enum source_outcome keyed_parse(const struct source_keys *keys, const char *text, size_t len,
                                struct thread_sample *sample)
{
	struct span rest = {text, len}, line, key, value;
	bool any = false;

	while (scan_line(&rest, &line)) {
		if (!scan_pair(line, &key, &value))
			continue;
		any = true;
		keyed_set(keys, source_keys_find(keys, key.text, key.len), value, sample);
	}
	return any ? OUTCOME_read : OUTCOME_malformed;
}
