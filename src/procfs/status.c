// SPDX-License-Identifier: GPL-2.0-or-later
#include "keyed.h"

/* The kernel escapes newlines in the Name: line, so a thread cannot forge a line of the file. */
enum source_outcome status_parse(const struct source_keys *keys, const char *text, size_t len,
                                 struct thread_sample *sample)
{
	return keyed_parse(keys, text, len, sample);
}

/* The line is "Uid:	real	effective	saved	file system". */
bool status_uid(const char *text, size_t len, uint32_t *ret_uid)
{
	struct span rest = {text, len}, line, key, value, word;
	uint64_t uid;

	while (scan_line(&rest, &line)) {
		if (!scan_pair(line, &key, &value) || !span_is(key, "Uid"))
			continue;
		if (!scan_word(&value, &word) || !scan_word(&value, &word) ||
		    !scan_u64(word.text, word.len, &uid) || uid > UINT32_MAX)
			return false;
		*ret_uid = (uint32_t)uid;
		return true;
	}
	return false;
}
