// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/csv-text.h"

#include <string.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

/* Returns the length of an integer or decimal number at the start of @text, or 0. */
static size_t number_len(const char *text)
{
	static const char digits[] = "0123456789";
	size_t sign = *text == '-' || *text == '+', whole = strspn(text + sign, digits), len, part;

	if (whole == 0)
		return 0;
	len = sign + whole;
	part = text[len] == '.' ? strspn(text + len + 1, digits) : 0;
	return part > 0 ? len + 1 + part : len;
}

/* Returns whether the text is a number, or a range of them: "-5", "-20..19". */
static bool is_number(const char *text)
{
	size_t len = number_len(text), last;

	if (len > 0 && strncmp(text + len, "..", 2) == 0 && (last = number_len(text + len + 2)) > 0)
		len += 2 + last;
	return len > 0 && text[len] == '\0';
}

/* Returns whether a spreadsheet may read the text as a formula. Some trim blanks, and those that separate
 * cells elsewhere take double quotes off; single quotes that are there already count as well, so that removing one leads back to the
 * text. */
static bool begins_formula(const char *text)
{
	/* In UTF-8: the full-width forms of the four. */
	static const char *const wide[] = {"\uff1d", "\uff0b", "\uff0d", "\uff20"};

	text += strspn(text, " '\"");
	if (*text != '\0' && strchr("=+-@\t\r\n", *text))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		if (strncmp(text, wide[i], strlen(wide[i])) == 0)
			return true;
	return false;
}

/* Adds the text so that a spreadsheet reads it as text, as OWASP advises against CSV injection: a single quote stands
 * before a formula. In some locales other separators than the comma begin a cell. */
static void add_as_text(struct strbuf *out, const char *text)
{
	bool begins = true;

	if (is_number(text)) {
		strbuf_add_str(out, text);
		return;
	}
	for (; *text; text++) {
		if (begins && begins_formula(text))
			strbuf_add_char(out, '\'');
		begins = strchr(",;|\t", *text) != NULL;
		strbuf_add_char(out, *text);
	}
}

/* Quotes by RFC 4180; lines end with a lone newline, as everywhere on this system. */
static void print_quoted(FILE *file, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

void csv_print_text(FILE *file, const char *text, bool raw)
{
	cleanup_(strbuf_done) struct strbuf safe = STRBUF_INIT;

	if (raw) {
		print_quoted(file, text);
		return;
	}
	add_as_text(&safe, text);
	print_quoted(file, strbuf_str(&safe));
}
