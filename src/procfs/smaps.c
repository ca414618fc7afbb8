// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/scan.h"
#include "procfs/procfs.h"

/* Linux 6.18 has 22 keys. The search for a key compares it with all others. */
enum { SMAPS_KEYS_MAX = 128, SMAPS_KEY_BYTES = 64 };

/* Returns whether the text is a key. The first line is about the range of addresses and has blanks and a dash before
 * its first colon. */
static bool is_key(struct span key)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	                               "0123456789_";

	if (key.len == 0 || key.len > SMAPS_KEY_BYTES)
		return false;
	for (size_t i = 0; i < key.len; i++)
		if (!memchr(alphabet, key.text[i], sizeof(alphabet) - 1))
			return false;
	return true;
}

static bool scan_kib(struct span value, uint64_t *ret_kib)
{
	struct span number, unit, extra;

	return scan_word(&value, &number) && scan_word(&value, &unit) && span_is(unit, "kB") &&
	       !scan_word(&value, &extra) && scan_u64(number.text, number.len, ret_kib);
}

enum source_outcome smaps_parse(const char *text, size_t len, struct thread_sample *sample)
{
	struct keyed_values *values = &sample->smaps_rollup_kib;
	struct span rest = {text, len}, line, key, value;
	bool any = false;
	uint64_t kib;

	while (scan_line(&rest, &line)) {
		if (!scan_pair(line, &key, &value) || !is_key(key) || !scan_kib(value, &kib))
			continue;
		if (!any)
			keyed_values_clear(values);
		any = true;
		if (values->count == SMAPS_KEYS_MAX)
			break;
		keyed_values_set(values, key.text, key.len, kib);
	}
	if (!any)
		return OUTCOME_malformed;
	sample->has_smaps = true;
	return OUTCOME_read;
}
