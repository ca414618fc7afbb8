// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines that are no wider than the terminal. */
#include <string.h>

#include "base/text.h"
#include "report-overview.h"

bool overview_is_too_wide(const struct report *report, struct strbuf *line)
{
	if (report->style.ascii)
		text_make_ascii(line);
	return report->style.width > 0 &&
	       text_width(strbuf_str(line), line->len) > report->style.width;
}

/* Appends a line, cut where the terminal ends. */
void overview_add_line(const struct report *report, struct strbuf *line, struct strbuf *out)
{
	const char *ellipsis = report->style.ascii ? "~" : "…";
	const char *text;
	size_t width = report->style.width;

	if (line->len == 0)
		return;
	if (report->style.ascii)
		text_make_ascii(line);
	text = strbuf_str(line);
	if (width == 0 || text_width(text, line->len) <= width) {
		strbuf_add(out, text, line->len);
	} else {
		strbuf_add(out, text, text_prefix_escaped(text, line->len, width - 1));
		strbuf_add_str(out, ellipsis);
	}
	strbuf_add_char(out, '\n');
}

const char *overview_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] != '\0' ? slash + 1 : path;
}
