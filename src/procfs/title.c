// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/title.h"

#include <string.h>

#include "ctprof/metric/sample.h"

/* Returns the length without the rest of a character that the limit cuts. */
static size_t cut(const char *text, size_t len)
{
	size_t end = SAMPLE_TITLE_BYTES;

	if (len <= end)
		return len;
	while (end > SAMPLE_TITLE_BYTES - 4 && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	return end;
}

void title_find(const char *text, size_t len, struct strbuf *out)
{
	size_t end = cut(text, strnlen(text, len));

	while (end > 0 && text[end - 1] == ' ')
		end--;
	/* A program whose path has blanks has replaced nothing. */
	if (text[0] != '/' && memchr(text, ' ', end))
		strbuf_add(out, text, end);
}
