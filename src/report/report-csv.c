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
	case MACHINE_FLAG:
		fputs(value->flag ? "true" : "false", file);
		break;
	case MACHINE_TEXT:
		print_text(file, strbuf_str(&value->text));
		break;
	}
}

struct csv_line {
	FILE *file;
	const struct row_set *set;
	struct machine_columns columns;
	struct machine_value value;
};

/* One of the two is NULL. */
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
		print_value(line->file, &line->value);
	}
	putc('\n', line->file);
}

void report_csv(FILE *file, const struct report *report)
{
	struct csv_line line = {.file = file, .set = report->rows};
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
}
