// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Returns the bytes of @line that a terminal of @width columns shows in one line: up to the last space that fits. */
static size_t folded_length(const char *line, size_t len, size_t width)
{
	size_t fits = text_prefix(line, len, width), end = fits;

	if (fits == len)
		return len;
	while (end > 0 && line[end] != ' ')
		end--;
	return end > 0 ? end : fits;
}

void text_print_folded(FILE *file, const char *line, size_t len, size_t width)
{
	static const char indent[] = "\n  ";
	size_t part = folded_length(line, len, width);

	fwrite(line, 1, part, file);
	while (part < len) {
		line += part;
		len -= part;
		while (len > 0 && *line == ' ') {
			line++;
			len--;
		}
		part = folded_length(line, len, width - strlen(indent) + 1);
		fputs(indent, file);
		fwrite(line, 1, part, file);
	}
}

void text_print_lines(FILE *file, const struct strbuf *text, size_t width)
{
	enum { READABLE = 9 /* and a wide character needs two */ };
	const char *line = strbuf_str(text), *all_end = line + text->len;

	if (width < READABLE)
		width = SIZE_MAX;
	for (const char *end; line < all_end; line = end + 1) {
		end = strchrnul(line, '\n');
		text_print_folded(file, line, (size_t)(end - line), width);
		if (end < all_end)
			putc('\n', file);
	}
}
