// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/mount-line.h"

#include <stdlib.h>
#include <string.h>

bool mount_device_parse(struct span text, int base, struct mount_device *ret_device)
{
	char copy[32], *end;
	unsigned long major, minor;

	if (text.len == 0 || text.len >= sizeof(copy))
		return false;
	memcpy(copy, text.text, text.len);
	copy[text.len] = '\0';
	major = strtoul(copy, &end, base);
	if (end == copy || *end != ':' || major > UINT32_MAX)
		return false;
	text.text = end + 1;
	minor = strtoul(text.text, &end, base);
	if (end == text.text || *end != '\0' || minor > UINT32_MAX)
		return false;
	*ret_device = (struct mount_device){(uint32_t)major, (uint32_t)minor};
	return true;
}

/* The first word is the id, the third one the device, the fifth one the place; behind the lone dash are the type, the source and the
 * options. */
bool mount_line_parse(struct span line, struct mount_line *ret_line)
{
	enum { DEVICE_WORD = 3, POINT_WORD = 5 };
	struct span word, device = {NULL, 0};
	struct mount_line parsed = {0};
	int number = 1;

	if (!scan_word(&line, &word) || !scan_u64(word.text, word.len, &parsed.id))
		return false;
	while (scan_word(&line, &word)) {
		if (++number == DEVICE_WORD)
			device = word;
		if (number == POINT_WORD)
			parsed.point = word;
		if (span_is(word, "-"))
			break;
	}
	if (number <= DEVICE_WORD || !scan_word(&line, &word) ||
	    !mount_device_parse(device, 10, &parsed.device))
		return false;
	parsed.kind = file_system_kind_of_type(word.text, word.len);
	if (scan_word(&line, &word))
		(void)scan_word(&line, &parsed.options);
	*ret_line = parsed;
	return true;
}
