// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables for people, on a terminal or as Markdown. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "findings-format.h"
#include "findings/findings-list.h"

struct printed {
	struct findings_list list;
	enum findings_column columns[FINDINGS_COLUMN_COUNT];
	unsigned column_count;
};

static enum table_color add_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct printed *printed = context;

	return findings_add_cell(printed->list.rows[row], printed->columns[column], out);
}

static void add_column(struct printed *printed, struct table_column *columns,
                       enum findings_column column)
{
	columns[printed->column_count] = findings_columns[column];
	printed->columns[printed->column_count++] = column;
}

static void set_columns(const struct findings *findings, const struct comparison *comparison,
                        struct printed *printed, struct table_column *columns)
{
	for (unsigned i = 0; i < FINDINGS_SPREAD; i++) {
		/* 80 columns have no room for it. */
		if (i == FINDINGS_SHARE && !findings->verbose && !findings->style.markdown)
			continue;
		add_column(printed, columns, (enum findings_column)i);
		if (i == FINDINGS_INTERVAL && comparison->parts.kind == PART_HOST)
			add_column(printed, columns, FINDINGS_SPREAD);
	}
}

/* Prints lines in a fence, without the blank lines that divide them from a table above. */
static void print_fenced(FILE *file, const struct findings *findings, struct strbuf *text)
{
	cleanup_(strbuf_done) struct strbuf lines = STRBUF_INIT;

	strbuf_add_str(&lines, strbuf_str(text) + strspn(strbuf_str(text), "\n"));
	table_print_text(file, &findings->style, &lines);
}

/* Prints lines that are wider than the terminal in several, at blanks, behind the word in front of them. */
static void print_folded(FILE *file, const struct findings *findings, struct strbuf *text)
{
	enum { INDENT = 11 };
	const char *line;
	size_t width = findings->style.width;

	if (findings->style.markdown) {
		print_fenced(file, findings, text);
		return;
	}
	if (findings->style.ascii)
		text_make_ascii(text);
	line = strbuf_str(text);
	while (*line) {
		size_t len = strcspn(line, "\n"), column = 0;

		while (width > 2 * INDENT && text_is_wider(line, len, width - column)) {
			size_t part = text_prefix_escaped(line, len, width - column), blank = part;

			while (blank > 0 && line[blank] != ' ')
				blank--;
			part = blank > INDENT || (column > 0 && blank > 0) ? blank : part;
			fprintf(file, "%.*s\n%*s", (int)part, line, INDENT, "");
			part += line[part] == ' ';
			line += part;
			len -= part;
			column = INDENT;
		}
		fprintf(file, "%.*s\n", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

static void print_comparison(FILE *file, const struct findings *findings,
                             const struct comparison *comparison)
{
	struct printed printed = {.column_count = 0};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct table_column columns[FINDINGS_COLUMN_COUNT];

	findings_list_init(&printed.list, findings, comparison);
	strbuf_add_char(&text, '\n');
	findings_add_answers(findings, comparison, &text);
	findings_add_failures(comparison, &text);
	set_columns(findings, comparison, &printed, columns);
	if (printed.list.count > 0)
		strbuf_add_char(&text, '\n');
	print_folded(file, findings, &text);
	if (printed.list.count > 0)
		table_print(file, &findings->style, columns, printed.column_count,
		            printed.list.count, add_cell, &printed);
	if (printed.list.count > 0 && findings->style.markdown)
		putc('\n', file);
	strbuf_clear(&text);
	findings_list_add_notes(&printed.list, findings, &text);
	strbuf_add_char(&text, '\n');
	findings_add_rest(findings, comparison, &text);
	findings_add_validity(findings, comparison, &text);
	print_folded(file, findings, &text);
	findings_list_done(&printed.list);
}

static void print_gates(FILE *file, const struct findings *findings)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (findings->gate_count > 0)
		strbuf_add_char(&text, '\n');
	findings_add_gates(findings, &text);
	print_folded(file, findings, &text);
}

void findings_print_text(FILE *file, const struct findings *findings)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	findings_add_head(findings, &text);
	print_folded(file, findings, &text);
	for (size_t i = 0; i < findings->count; i++)
		print_comparison(file, findings, &findings->comparisons[i]);
	print_gates(file, findings);
}
