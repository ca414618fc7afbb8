// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/text.h"
#include "where-tree.h"

/* The columns of a word in a sentence, of an excerpt, and of its part in front of the place. */
enum { WORD_COLUMNS = 40, EXCERPT_COLUMNS = 72, CONTEXT_COLUMNS = 34 };

static const char ellipsis[] = "...";

void where_error_done(struct where_error *error)
{
	strbuf_done(&error->sentence);
	*error = (struct where_error){0};
}

void where_add_word(struct strbuf *out, struct span word)
{
	cleanup_(strbuf_done) struct strbuf escaped = STRBUF_INIT;
	size_t prefix;

	text_add_escaped(&escaped, word.text, word.len);
	prefix = text_prefix_escaped(strbuf_str(&escaped), escaped.len, WORD_COLUMNS);
	strbuf_add_char(out, '\'');
	strbuf_add(out, strbuf_str(&escaped), prefix);
	strbuf_addf(out, "%s'", prefix < escaped.len ? ellipsis : "");
}

/* Appends a part of the expression of at most so many columns. Returns its columns. */
static size_t add_part(struct strbuf *out, const char *part, size_t len, size_t columns)
{
	size_t prefix = text_prefix(part, len, columns);
	const char *rest = prefix < len ? ellipsis : "";

	strbuf_add(out, part, prefix);
	strbuf_add_str(out, rest);
	return text_width(part, prefix) + strlen(rest);
}

/* Appends the text in front of the place, or the end of a long one. Returns its columns. */
static size_t add_front(struct strbuf *out, const char *front, size_t len)
{
	size_t width = text_width(front, len);
	size_t skipped =
	        width > CONTEXT_COLUMNS ? text_prefix(front, len, width - CONTEXT_COLUMNS) : 0;

	if (skipped > 0)
		strbuf_add_str(out, ellipsis);
	strbuf_add(out, front + skipped, len - skipped);
	return text_width(front + skipped, len - skipped) + (skipped > 0 ? strlen(ellipsis) : 0);
}

void where_add_error(const char *text, const struct where_error *error, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf front = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf word = STRBUF_INIT;
	cleanup_(strbuf_done) struct strbuf rest = STRBUF_INIT;
	size_t end = error->offset + error->len, columns, marks;

	text_add_escaped(&front, text, error->offset);
	text_add_escaped(&word, text + error->offset, error->len);
	text_add_escaped(&rest, text + end, strlen(text + end));

	strbuf_addf(out, "%s\n  ", strbuf_str(&error->sentence));
	columns = add_front(out, strbuf_str(&front), front.len);
	marks = add_part(out, strbuf_str(&word), word.len, CONTEXT_COLUMNS);
	if (columns + marks < EXCERPT_COLUMNS)
		add_part(out, strbuf_str(&rest), rest.len, EXCERPT_COLUMNS - columns - marks);

	strbuf_addf(out, "\n  %*s^", (int)columns, "");
	for (; marks > 1; marks--)
		strbuf_add_char(out, '~');
}
