// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "ctprof/base/strbuf.h"
#include "machine-value.h"
#include "report-text.h"
#include "report/report.h"

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

/* Returns whether a spreadsheet may read the text as a formula. Some trim blanks, and quotes that are there already
 * count as well, so that removing one leads back to the text. */
static bool begins_formula(const char *text)
{
	/* In UTF-8: the full-width forms of the four. */
	static const char *const wide[] = {"\uff1d", "\uff0b", "\uff0d", "\uff20"};

	text += strspn(text, " '");
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

struct csv_line {
	FILE *file;
	const struct row_set *set;
	bool raw; /* texts as they are */
	struct machine_columns columns;
	struct machine_value value;
	struct strbuf text;
};

static void print_text(struct csv_line *line, const char *text)
{
	if (line->raw) {
		print_quoted(line->file, text);
		return;
	}
	strbuf_clear(&line->text);
	add_as_text(&line->text, text);
	print_quoted(line->file, strbuf_str(&line->text));
}

static void print_value(struct csv_line *line)
{
	struct machine_value *value = &line->value;
	FILE *file = line->file;

	switch (value->kind) {
	case MACHINE_NONE:
		break;
	case MACHINE_NUMBER:
		strbuf_clear(&value->text);
		machine_add_number(value->number, &value->text);
		fputs(strbuf_str(&value->text), file);
		break;
	case MACHINE_FLAG:
		fputs(value->flag ? "true" : "false", file);
		break;
	case MACHINE_TEXT:
		print_text(line, strbuf_str(&value->text));
		break;
	}
}

/* Either @view or @fact is NULL. */
static void print_line(struct csv_line *line, const struct row_view *view,
                       const struct fact_row *fact)
{
	for (unsigned c = 0; c < line->columns.count; c++) {
		if (c > 0)
			putc(',', line->file);
		if (view)
			machine_value(line->set, view, line->columns.columns[c], &line->value);
		else
			machine_fact_value(fact, line->columns.columns[c], &line->value);
		print_value(line);
	}
	putc('\n', line->file);
}

void report_csv(FILE *file, const struct report *report)
{
	struct csv_line line = {
	        .file = file, .set = report->rows, .raw = report->csv_raw, .text = STRBUF_INIT};
	struct fact_cursor fact_cursor = {0};
	struct row_cursor cursor = {0};
	const struct fact_row *fact;
	struct row_view view;

	machine_columns_of(report, &line.columns);
	for (unsigned c = 0; c < line.columns.count; c++)
		fprintf(file, "%s%s", c > 0 ? "," : "", line.columns.names[c]);
	putc('\n', file);
	while (!ferror(file) && report_next_row(report, &cursor, &view))
		print_line(&line, &view, NULL);
	while (!ferror(file) && (fact = report_next_fact(report, &fact_cursor)))
		print_line(&line, NULL, fact);
	machine_value_done(&line.value);
	strbuf_done(&line.text);
}
