// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "ctprof/report.h"
#include "machine-value.h"
#include "report-parts.h"

/* RFC 4180 quoting; lines end with a lone newline, as everything else on this system does. */
static void print_text(FILE *file, const char *text)
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

static void print_value(FILE *file, struct machine_value *value)
{
	switch (value->kind) {
	case MACHINE_NONE:
		break;
	case MACHINE_NUMBER:
		strbuf_clear(&value->text);
		machine_add_number(value->number, &value->text);
		fputs(strbuf_str(&value->text), file);
		break;
	case MACHINE_TEXT:
		print_text(file, strbuf_str(&value->text));
		break;
	}
}

struct csv_line {
	FILE *file;
	unsigned sides;
	struct machine_value value;
};

/* One of the two is NULL. */
static void print_line(struct csv_line *line, const struct row_view *view,
                       const struct fact_row *fact)
{
	for (unsigned c = 0; c < MACHINE_COLUMN_COUNT; c++) {
		enum machine_column column = (enum machine_column)c;

		if (!machine_column_name(column, line->sides))
			continue;
		if (c > 0)
			putc(',', line->file);
		if (view)
			machine_value(view, column, &line->value);
		else
			machine_fact_value(fact, column, &line->value);
		print_value(line->file, &line->value);
	}
	putc('\n', line->file);
}

void report_csv(FILE *file, const struct report *report)
{
	const struct row_set *set = report->rows;
	struct csv_line line = {.file = file, .sides = set->sides};
	struct fact_cursor cursor = {0};
	const struct fact_row *fact;

	for (unsigned c = 0; c < MACHINE_COLUMN_COUNT; c++) {
		const char *name = machine_column_name((enum machine_column)c, set->sides);

		if (name)
			fprintf(file, "%s%s", c > 0 ? "," : "", name);
	}
	putc('\n', file);
	for (size_t i = 0; i < report_shown(report) && !ferror(file); i++) {
		struct row_view view;

		row_view(set, &set->groups[set->rows[i].group], set->rows[i].measure, &view);
		print_line(&line, &view, NULL);
	}
	while (!ferror(file) && (fact = report_next_fact(report, &cursor)))
		print_line(&line, NULL, fact);
	machine_value_done(&line.value);
}
