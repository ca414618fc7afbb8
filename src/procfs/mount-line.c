// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/mount-line.h"

#include <stdlib.h>
#include <string.h>

#include "base/mount-words.h"

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

bool mount_line_parse(struct span line, struct mount_line *ret_line)
{
	struct mount_device device;
	struct mount_words words;

	if (!mount_words_scan(line, &words) || !mount_device_parse(words.device, 10, &device))
		return false;
	*ret_line = (struct mount_line){
	        .id = words.id,
	        .device = device,
	        .kind = file_system_kind_of_type(words.type.text, words.type.len),
	        .point = words.point,
	        .options = words.options,
	};
	return true;
}
