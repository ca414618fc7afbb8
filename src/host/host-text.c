// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/scan.h"
#include "host-fields.h"

size_t host_text_cost(const char *text, size_t len)
{
	enum { QUOTES = 2, CONTROL = 6, REPLACED = 3 };
	size_t cost = QUOTES;

	for (size_t i = 0; i < len; i++) {
		unsigned char byte = (unsigned char)text[i];

		if (byte < ' ')
			cost += CONTROL;
		else if (byte >= 0x80)
			cost += REPLACED;
		else
			cost += byte == '"' || byte == '\\' ? 2 : 1;
	}
	return cost;
}

bool host_text_is_sound(const char *text, size_t len, size_t max_bytes)
{
	struct span rest = {text, len}, word;

	return scan_word(&rest, &word) && !memchr(text, '\0', len) &&
	       host_text_cost(text, len) <= max_bytes;
}

void host_put_text(struct host *host, enum host_field field, const char *text, size_t len,
                   size_t max_bytes)
{
	if (host_text_is_sound(text, len, max_bytes))
		host_set_text(host, field, text, len);
}
