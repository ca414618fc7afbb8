// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/csv-text.h"
#include "ctprof/base/strbuf.h"
#include "machine-value.h"
#include "machine/report-machine.h"
#include "report/report-text.h"
#include "report/report.h"

struct csv_line {
	FILE *file;
	const struct row_set *set;
	bool raw; /* texts as they are */
	struct machine_columns columns;
	struct machine_value value;
};

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
		csv_print_text(line->file, strbuf_str(&value->text), line->raw);
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
	struct csv_line line = {.file = file, .set = report->rows, .raw = report->csv_raw};
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
