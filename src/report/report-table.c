// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/text.h"
#include "report-cells.h"
#include "report-overview.h"
#include "report-tree.h"
#include "report/report-delays.h"
#include "report/report.h"

static enum table_color row_cell(void *opaque, size_t row, unsigned column, struct strbuf *out)
{
	struct row_context *context = opaque;

	return report_add_cell(context, row, context->columns->columns[column], out);
}

struct tree_context {
	struct row_context rows; /* must stay the first member */
	struct tree tree;
};

enum { INDENT = 2 };

static enum table_color tree_cell(void *opaque, size_t index, unsigned column, struct strbuf *out)
{
	struct tree_context *context = opaque;
	const struct tree_line *line = &context->tree.lines[index];
	const struct cell_column *desc = &context->rows.columns->columns[column];
	const struct row_view *view;
	const struct row_set *set = context->rows.report->rows;

	if (desc->column != COLUMN_group)
		return report_add_cell(&context->rows, line->row, *desc, out);
	view = report_view_of(&context->rows, line->row);
	for (unsigned i = 0; i < INDENT * line->depth; i++)
		strbuf_add_char(out, ' ');
	strbuf_add_str(out, view->group->exited ? view->group->label
	                                        : view->group->parts[set->by.count - 1]);
	report_add_renamed(set, view->group, out);
	return COLOR_NONE;
}

static bool tree_heading(void *opaque, size_t index, struct table_heading *ret, struct strbuf *out)
{
	const struct tree_context *context = opaque;
	const struct tree_line *line = &context->tree.lines[index];

	if (!line->heading)
		return false;
	strbuf_add(out, line->text, line->text_len);
	ret->indent = INDENT * line->depth;
	ret->color = COLOR_HEADING;
	return true;
}

static struct table_column table_column_of(const struct report *report, struct cell_column column)
{
	bool group = column.column == COLUMN_group, number = report_cell_is_number(column);
	/* The place of a group is its rank already. */
	unsigned leaves =
	        column.column == COLUMN_SORTED ? COLUMN_COUNT : column_table[column.column].leaves;

	return (struct table_column){report_cell_heading(report, column), number,
	                             group    ? SHRINKS_ALWAYS
	                             : number ? SHRINKS_NEVER
	                                      : SHRINKS_WRAPPED,
	                             report->columns.chosen ? 0 : leaves};
}

static void print_rows(FILE *file, const struct report *report)
{
	struct table_column columns[CELL_COLUMNS_MAX];
	struct cell_columns cells;
	struct tree_context context = {.rows = {.report = report, .columns = &cells}};

	if (report->rows->row_count == 0) {
		fputs(report->rows->filtered_count > 0 ? "no row meets the conditions\n"
		      : report->rows->sides == 1       ? "no rows\n"
		                                       : "no row changed\n",
		      file);
		return;
	}
	report_cell_columns(report, &cells);
	for (unsigned i = 0; i < cells.count; i++)
		columns[i] = table_column_of(report, cells.columns[i]);
	if (!report_is_tree(report)) {
		table_print(file, &report->style, columns, cells.count, report_shown(report),
		            row_cell, &context.rows);
		return;
	}
	tree_build(&context.tree, report->rows, report_shown(report));
	table_print_tree(file, &report->style, columns, cells.count, context.tree.count, tree_cell,
	                 tree_heading, &context);
	tree_done(&context.tree);
}

void report_add_overview_top(const struct report *report, struct strbuf *out)
{
	report_add_two_lines(report, out);
	report_add_settings(report, out);
}

static void print_overview(FILE *file, const struct report *report)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct overview_marks marks;

	report_add_overview_top(report, &text);
	table_print_text(file, &report->style, &text);
	marks = report_print_overview_rows(file, report);
	strbuf_clear(&text);
	report_add_overview_foot(report, marks, &text);
	if (report->verbose) {
		strbuf_add_char(&text, '\n');
		report_add_head(report, &text);
	}
	if (report->style.markdown && text.len > 0)
		putc('\n', file);
	table_print_text(file, &report->style, &text);
}

/* Appends what the rows lack, the meaning of their marks, and how the snapshots were made. */
static void add_below_rows(const struct report *report, struct strbuf *out)
{
	if (!report->without_rows) {
		report_add_left_out(report, out);
		if (out->len > 0)
			strbuf_add_char(out, '\n');
		report_add_footnotes(report, out);
		if (!report->settings_like)
			strbuf_add_char(out, '\n');
	}
	if (report->settings_like)
		return;
	report_add_second_rest(report, out);
	report_add_head(report, out);
}

void report_table(FILE *file, const struct report *report)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct fact_cursor cursor = {0};

	if (report->host) {
		report_add_host(report, &text);
		table_print_text(file, &report->style, &text);
		return;
	}
	if (report->delays) {
		report_print_delays(file, report);
		return;
	}
	if (report->overview) {
		print_overview(file, report);
		return;
	}
	if (!report->settings_like) {
		report_add_two_lines(report, &text);
		report_add_settings(report, &text);
		report_add_explained(report, &text);
		strbuf_add_char(&text, '\n');
	}
	table_print_text(file, &report->style, &text);
	if (!report->without_rows)
		print_rows(file, report);
	strbuf_clear(&text);
	add_below_rows(report, &text);
	if (report->style.markdown && text.len > 0)
		putc('\n', file);
	table_print_text(file, &report->style, &text);
	report_print_facts(file, report);
	if (!report->settings_like)
		return;
	strbuf_clear(&text);
	if (!report_next_fact(report, &cursor))
		report_add_no_settings(report, &text);
	report_add_denied_settings(report, &text);
	table_print_text(file, &report->style, &text);
}
