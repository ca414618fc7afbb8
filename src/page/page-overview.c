// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "base/markup.h"
#include "page-section.h"
#include "report/overview-table.h"

static const char *class_of(enum table_color color)
{
	return color == COLOR_MORE   ? " class=\"more\""
	       : color == COLOR_LESS ? " class=\"less\""
	                             : "";
}

static void add_head(struct overview_table *table, struct strbuf *out)
{
	strbuf_add_str(out, "<table class=\"rows\">\n<thead><tr>");
	for (unsigned c = 0; c < table->count; c++) {
		bool group = table->columns[c] == OVERVIEW_GROUP;

		strbuf_addf(out, "<th scope=\"col\" data-column=\"%s\"",
		            group ? "group" : aspect_table[table->columns[c]].name);
		if (!group) {
			strbuf_add_str(out, " title=\"");
			markup_add_str(out, aspect_table[table->columns[c]].description);
			strbuf_add_char(out, '"');
		}
		strbuf_add_char(out, '>');
		markup_add_str(out, overview_table_heading(table, c));
		strbuf_add_str(out, "</th>");
	}
	strbuf_add_str(out, "</tr></thead>\n<tbody>\n");
}

static void add_row(struct overview_table *table, size_t row, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_addf(out, "<tr data-row=\"%zu\">", row);
	for (unsigned c = 0; c < table->count; c++) {
		bool group = table->columns[c] == OVERVIEW_GROUP;
		enum table_color color;

		strbuf_clear(&text);
		color = overview_table_cell(table, row, c, &text);
		strbuf_addf(out, group ? "<th scope=\"row\"%s>" : "<td%s>", class_of(color));
		markup_add_str(out, strbuf_str(&text));
		strbuf_add_str(out, group ? "</th>" : "</td>");
	}
	strbuf_add_str(out, "</tr>\n");
}

static void add_rows(struct overview_table *table, size_t from, size_t to, struct strbuf *out)
{
	add_head(table, out);
	for (size_t i = from; i < to; i++)
		add_row(table, i, out);
	strbuf_add_str(out, "</tbody>\n</table>\n");
}

/* Empty cells have a dot by the style of the page: they are no missing values. */
static void add_empty_key(enum overview_kind kind, struct strbuf *out)
{
	const char *peak = overview_is_of_lives(kind) ? "" : ", or a peak that did not rise";

	strbuf_addf(out, "<p class=\"keys\">· %s%s; - is not known</p>\n",
	            overview_is_change(kind) ? "did not change" : "is zero", peak);
}

void page_add_overview(const struct report *report, const struct page_command *command,
                       struct strbuf *out)
{
	const struct overview *overview = report->overview;
	cleanup_(strbuf_done) struct strbuf foot = STRBUF_INIT;
	size_t count = overview->count < PAGE_ROWS ? overview->count : PAGE_ROWS;
	struct overview_table table;
	struct overview_marks marks = {0};

	overview_table_init(&table, report);
	page_add_heading("overview", "Overview", command->overview, command->limit, out);
	if (table.shown > 0) {
		strbuf_add_str(out, "<div class=\"wide\">\n");
		add_rows(&table, 0, table.shown < count ? table.shown : count, out);
		strbuf_add_str(out, "</div>\n");
		marks = overview_table_marks(&table);
	}
	if (table.shown > 0)
		add_empty_key(overview->kind, out);
	report_add_overview_foot(report, marks, &foot);
	page_add_lines(strbuf_str(&foot), false, out);
	if (count > table.shown) {
		strbuf_add_str(out, "<details>\n<summary class=\"drawn\">");
		if (count < overview->count)
			strbuf_addf(out, "the first %zu of ", count - table.shown);
		strbuf_addf(out, "%zu more group%s</summary>\n", overview->count - table.shown,
		            overview->count - table.shown == 1 ? "" : "s");
		page_add_heading("all", "More groups", command->overview, " --limit 0", out);
		strbuf_add_str(out, "<div class=\"wide\">\n");
		add_rows(&table, table.shown, count, out);
		strbuf_add_str(out, "</div>\n</details>\n");
	}
	page_add_data(overview, count, out);
}
