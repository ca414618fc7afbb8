// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/mount-words.h"

/* The first word is the id, the third the device, the fourth the root and the fifth the point. Behind a lone dash stand the type,
 * the source and the options. */
bool mount_words_scan(struct span line, struct mount_words *ret)
{
	struct mount_words words = {0};
	struct span word;

	if (!scan_word(&line, &word) || !scan_u64(word.text, word.len, &words.id) ||
	    !scan_word(&line, &word) || !scan_word(&line, &words.device) ||
	    !scan_word(&line, &words.root) || !scan_word(&line, &words.point))
		return false;
	while (scan_word(&line, &word) && !span_is(word, "-"))
		;
	if (!scan_word(&line, &words.type))
		return false;
	if (scan_word(&line, &words.source))
		(void)scan_word(&line, &words.options);
	*ret = words;
	return true;
}
