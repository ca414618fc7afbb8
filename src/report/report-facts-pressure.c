// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report-facts.h"

enum { PSI_VALUE_COUNT = PSI_AVERAGE_COUNT + 1 };

enum { PRESSURE_GROUP, PRESSURE_ROW, PRESSURE_VALUES };

static unsigned psi_line_of(const struct fact_row *row)
{
	return row->id / PSI_VALUE_COUNT;
}

static enum table_color pressure_cell(void *opaque, size_t index, unsigned column,
                                      struct strbuf *out)
{
	const struct facts_context *context = opaque;
	const struct fact_line *line = &context->lines[index];
	const struct fact_row *row;
	unsigned psi_line = psi_line_of(line->rows);

	column += context->section == SECTION_host_pressure;
	if (column == PRESSURE_GROUP) {
		strbuf_add_str(out, line->rows[0].group);
		return COLOR_NONE;
	}
	if (column == PRESSURE_ROW) {
		strbuf_add_str(out, psi_row_names[psi_line % PSI_ROW_COUNT]);
		return COLOR_NONE;
	}
	row = facts_row_with(line, psi_line * PSI_VALUE_COUNT + column - PRESSURE_VALUES);
	if (row)
		return facts_add_sides(row, context->report->rows->sides, out);
	strbuf_add_char(out, '-');
	return COLOR_NONE;
}

static bool is_all_zero(const struct facts_context *context)
{
	for (size_t i = 0; i < context->line_count; i++)
		for (size_t r = 0; r < context->lines[i].count; r++)
			for (unsigned side = 0; side < context->report->rows->sides; side++) {
				const struct fact_cell *cell =
				        &context->lines[i].rows[r].sides[side];

				if (cell->state == FACT_NUMBER && !quantity_is_zero(cell->number))
					return false;
			}
	return true;
}

/* Returns the rows of one resource of a group, which are neighbours. */
static struct fact_line rows_of_resource(const struct fact_row *rows, size_t start, size_t end,
                                         unsigned resource)
{
	size_t first = start, last;

	while (first < end && psi_line_of(&rows[first]) / PSI_ROW_COUNT != resource)
		first++;
	last = first;
	while (last < end && psi_line_of(&rows[last]) / PSI_ROW_COUNT == resource)
		last++;
	return (struct fact_line){rows + first, last - first};
}

static double heaviest(const struct fact_line *line)
{
	double most = 0;

	for (size_t i = 0; i < line->count; i++)
		if (line->rows[i].weight > most)
			most = line->rows[i].weight;
	return most;
}

static int by_heaviest(const void *a, const void *b)
{
	const struct fact_line *line_a = a, *line_b = b;
	double weight_a = heaviest(line_a), weight_b = heaviest(line_b);

	if (weight_a < weight_b || weight_a > weight_b)
		return weight_a < weight_b ? 1 : -1;
	return strcmp(line_a->rows->group, line_b->rows->group);
}

/* Splits the lines of groups into lines of "some" and "full", up to the limit. */
static void split_groups(struct facts_context *context)
{
	cleanup_(mem_freep) struct fact_line *groups = context->lines;
	size_t count = context->line_count, printed = 0;

	context->lines = NULL;
	context->line_count = context->line_capacity = 0;
	for (; printed < count && !facts_is_full(context, printed); printed++) {
		const struct fact_line *group = &groups[printed];

		for (size_t at = 0, next; at < group->count; at = next) {
			next = at;
			while (next < group->count &&
			       psi_line_of(&group->rows[next]) == psi_line_of(&group->rows[at]))
				next++;
			facts_add_line(context, group->rows + at, next - at);
		}
	}
	context->left_out = count - printed;
}

static void print_resource(FILE *file, struct facts_context *context, const struct fact_row *rows,
                           size_t count, unsigned resource)
{
	static const struct table_column columns[] = {
	        [PRESSURE_GROUP] = {"cgroup", false, true, 0},
	        [PRESSURE_ROW] = {"row", false, false, 0},
	        {"avg10", true, false, 0},
	        {"avg60", true, false, 1},
	        {"avg300", true, false, 2},
	        {"total", true, false, 0},
	};
	unsigned first = context->section == SECTION_host_pressure;

	context->line_count = context->left_out = 0;
	for (size_t at = 0, end; at < count; at = end) {
		struct fact_line line;

		end = facts_group_end(rows, at, count);
		line = rows_of_resource(rows, at, end, resource);
		if (line.count > 0)
			facts_add_line(context, line.rows, line.count);
	}
	/* All groups decide whether there is a table; this resource decides their order in it. */
	if (is_all_zero(context))
		return;
	qsort(context->lines, context->line_count, sizeof(context->lines[0]), by_heaviest);
	split_groups(context);
	facts_print_heading(file, context->report, section_table[context->section].heading,
	                    psi_resource_names[resource]);
	table_print(file, &context->report->style, columns + first,
	            (unsigned)ARRAY_SIZE(columns) - first, context->line_count, pressure_cell,
	            context);
	facts_print_left_out(file, context);
}

void facts_print_pressure(FILE *file, struct facts_context *context, const struct fact_row *rows,
                          size_t count)
{
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		print_resource(file, context, rows, count, resource);
}
