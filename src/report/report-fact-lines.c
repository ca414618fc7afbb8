// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "metric/units.h"
#include "report-facts.h"

void facts_add_line(struct facts_context *context, const struct fact_row *rows, size_t count)
{
	*array_add(context->lines, context->line_count, context->line_capacity) =
	        (struct fact_line){rows, count};
}

bool facts_is_full(const struct facts_context *context, size_t printed)
{
	return context->report->facts_limit > 0 && printed >= context->report->facts_limit;
}

/* Appends "3.500ms/s" if the row is one of rates. */
static void add_number(const struct fact_row *row, struct quantity number, struct strbuf *out)
{
	enum metric_unit unit =
	        units_ticks_as_time(row->unit, row->clock_ticks_per_second, &number);

	units_format(unit, number, false, out);
	strbuf_add_str(out, measure_per_table[row->per].suffix);
}

static void add_difference(const struct fact_row *row, struct strbuf *out)
{
	struct quantity delta = row->delta;
	enum metric_unit unit = units_ticks_as_time(row->unit, row->clock_ticks_per_second, &delta);

	if (row->went_back || row->remade) {
		strbuf_add_str(out, row->remade ? report_remade_mark : report_went_back_mark);
		return;
	}
	units_format_delta(unit, delta, false, out);
	if (row->delta.kind == QUANTITY_NONE)
		return;
	strbuf_add_str(out, measure_per_table[row->per].suffix);
	if (fact_row_is_partial(row, SIDE_BASELINE) || fact_row_is_partial(row, SIDE_CANDIDATE))
		strbuf_add_char(out, '*');
}

/* Settings have tabs and newlines between their parts, which stay apart with a blank. */
static void add_text(const struct fact_row *row, const char *text, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	strbuf_add_str(&line, text);
	for (size_t i = 0; row->section == SECTION_settings && i < line.len; i++)
		if (line.data[i] == '\t' || line.data[i] == '\n')
			line.data[i] = ' ';
	text_add_escaped(out, strbuf_str(&line), line.len);
}

void facts_add_cell(const struct fact_row *row, unsigned side, struct strbuf *out)
{
	const struct fact_cell *cell = &row->sides[side];

	if (cell->state == FACT_NUMBER)
		add_number(row, cell->number, out);
	else if (cell->state == FACT_UNLIMITED)
		strbuf_add_str(out, "max");
	else if (cell->state == FACT_TEXT && cell->text[0] != '\0')
		add_text(row, cell->text, out);
	else
		strbuf_add_char(out, '-');
	if (fact_row_is_partial(row, side))
		strbuf_add_char(out, '*');
}

enum table_color facts_add_delta(const struct fact_row *row, struct strbuf *out)
{
	if (row->sides[SIDE_BASELINE].state == FACT_TEXT &&
	    row->sides[SIDE_CANDIDATE].state == FACT_TEXT)
		strbuf_add_str(out, row->changed ? "differs" : "same");
	else
		add_difference(row, out);
	return report_color_of(row->delta);
}

enum table_color facts_add_sides(const struct fact_row *row, unsigned sides, struct strbuf *out)
{
	facts_add_cell(row, SIDE_BASELINE, out);
	if (sides == 1 || !row->changed)
		return COLOR_NONE;
	strbuf_add_str(out, " → ");
	facts_add_cell(row, SIDE_CANDIDATE, out);
	if (row->delta.kind != QUANTITY_NONE || row->went_back || row->remade) {
		strbuf_add_str(out, " (");
		add_difference(row, out);
		strbuf_add_char(out, ')');
	}
	return report_color_of(row->delta);
}

const struct fact_row *facts_row_with(const struct fact_line *line, unsigned id)
{
	for (size_t i = 0; i < line->count; i++)
		if (line->rows[i].id == id)
			return &line->rows[i];
	return NULL;
}

void facts_print_heading(FILE *file, const struct report *report, const char *heading,
                         const char *part)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "## %s%s%s", heading, part ? " / " : "", part ? part : "");
	putc('\n', file);
	table_print_colored(file, &report->style, COLOR_HEADING, strbuf_str(&text));
	fputs(report->style.markdown ? "\n\n" : "\n", file);
}

void facts_print_left_out(FILE *file, const struct facts_context *context)
{
	if (context->left_out > 0)
		fprintf(file, "%s%zu more (--limit 0 shows all)\n",
		        context->report->style.markdown ? "\n" : "", context->left_out);
}

size_t facts_group_end(const struct fact_row *rows, size_t start, size_t count)
{
	size_t end = start;

	while (end < count && rows[end].group == rows[start].group)
		end++;
	return end;
}
