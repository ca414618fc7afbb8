// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/scan.h"
#include "procfs/procfs.h"

_Static_assert(PROCESS_TOTAL_COUNT <= 32, "process_totals_seen has a bit for each");

static bool set_total(struct thread_sample *sample, unsigned total, struct span text)
{
	uint64_t value;

	if (!scan_u64(text.text, text.len, &value))
		return false;
	sample->process_totals[total] = value;
	sample->process_totals_seen |= UINT32_C(1) << total;
	sample->has_process_totals = true;
	return true;
}

/* Reads the words behind the name by the numbers of their fields. */
static bool parse_stat(const char *text, size_t len, struct thread_sample *sample)
{
	enum { FIRST_FIELD = 3 };
	const char *close = memrchr(text, ')', len);
	struct span words[SOURCE_NUMBERS], rest;
	unsigned end = FIRST_FIELD;
	bool any = false;

	if (!close)
		return false;
	rest = (struct span){close + 1, len - (size_t)(close - text) - 1};
	while (end < SOURCE_NUMBERS && scan_word(&rest, &words[end]))
		end++;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		const char *key = process_total_table[i].key;
		uint64_t field;

		if (process_total_table[i].source == SOURCE_process_stat &&
		    scan_u64(key, strlen(key), &field) && field >= FIRST_FIELD && field < end)
			any = set_total(sample, i, words[field]) || any;
	}
	return any;
}

static bool parse_io(const char *text, size_t len, struct thread_sample *sample)
{
	struct span rest = {text, len}, line, key, value;
	bool any = false;

	while (scan_line(&rest, &line)) {
		if (!scan_pair(line, &key, &value))
			continue;
		for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
			if (process_total_table[i].source == SOURCE_process_io &&
			    span_is(key, process_total_table[i].key))
				any = set_total(sample, i, value) || any;
	}
	return any;
}

enum source_outcome process_totals_parse(enum metric_source source, const char *text, size_t len,
                                         struct thread_sample *sample)
{
	bool any = false;

	if (source == SOURCE_process_stat)
		any = parse_stat(text, len, sample);
	else if (source == SOURCE_process_io)
		any = parse_io(text, len, sample);
	return any ? OUTCOME_read : OUTCOME_malformed;
}
