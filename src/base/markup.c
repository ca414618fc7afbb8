// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/markup.h"

#include <string.h>

void markup_add(struct strbuf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		switch (text[i]) {
		case '<':
			strbuf_add_str(out, "&lt;");
			break;
		case '>':
			strbuf_add_str(out, "&gt;");
			break;
		case '&':
			strbuf_add_str(out, "&amp;");
			break;
		case '"':
			strbuf_add_str(out, "&quot;");
			break;
		case '\'':
			strbuf_add_str(out, "&#39;");
			break;
		default:
			strbuf_add_char(out, text[i]);
		}
}

void markup_add_str(struct strbuf *out, const char *text)
{
	markup_add(out, text, strlen(text));
}

void markup_add_json(struct strbuf *out, const char *json, size_t len)
{
	/* JSON has this character in strings only. */
	for (size_t i = 0; i < len; i++)
		if (json[i] == '<')
			strbuf_add_str(out, "\\u003c");
		else
			strbuf_add_char(out, json[i]);
}
