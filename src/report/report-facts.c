// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "ctprof/mem.h"
#include "ctprof/report.h"
#include "ctprof/text.h"
#include "ctprof/units.h"
#include "report-parts.h"

enum {
	PSI_VALUE_COUNT = PSI_AVERAGE_COUNT + 1,
	WIDE_COLUMNS_MAX = CGROUP_VALUE_COUNT + 16,
	GROUP_COLUMNS = 24
};

/* A line of a table: one row, or the rows that stand side by side. */
struct fact_line {
	const struct fact_row *rows;
	size_t count;
};

/* A column of a wide table; in a table of pressure the id counts from the line's first value. */
struct wide_column {
	const char *heading;
	unsigned id;
};

struct facts_context {
	const struct report *report;
	enum metric_section section;
	struct fact_line *lines;
	size_t line_count;
	size_t line_capacity;
	size_t left_out; /* groups or lines that the limit cuts off */
	struct wide_column columns[WIDE_COLUMNS_MAX];
	unsigned column_count;
};

static void facts_context_done(struct facts_context *context)
{
	free(context->lines);
}

static void add_line(struct facts_context *context, const struct fact_row *rows, size_t count)
{
	if (context->line_count == context->line_capacity) {
		context->line_capacity = context->line_capacity ? 2 * context->line_capacity : 64;
		context->lines = mem_realloc(context->lines, context->line_capacity,
		                             sizeof(context->lines[0]));
	}
	context->lines[context->line_count++] = (struct fact_line){rows, count};
}

static bool is_full(const struct facts_context *context, size_t printed)
{
	return context->report->facts_limit > 0 && printed >= context->report->facts_limit;
}

static void add_cell(const struct fact_row *row, unsigned side, struct strbuf *out)
{
	const struct fact_cell *cell = &row->sides[side];

	if (cell->state == FACT_NUMBER)
		units_format(row->unit, cell->number, false, out);
	else if (cell->state == FACT_UNLIMITED)
		strbuf_add_str(out, "max");
	else if (cell->state == FACT_TEXT && cell->text[0] != '\0')
		text_add_escaped(out, cell->text, strlen(cell->text));
	else
		strbuf_add_char(out, '-');
}

static enum table_color add_delta(const struct fact_row *row, struct strbuf *out)
{
	if (row->sides[SIDE_BASELINE].state == FACT_TEXT &&
	    row->sides[SIDE_CANDIDATE].state == FACT_TEXT)
		strbuf_add_str(out, row->changed ? "differs" : "same");
	else
		units_format_delta(row->unit, row->delta, false, out);
	return report_color_of(row->delta);
}

/* Both sides in one cell: "A → B (+D)", or "A" where they are equal. */
static enum table_color add_sides(const struct fact_row *row, unsigned sides, struct strbuf *out)
{
	add_cell(row, SIDE_BASELINE, out);
	if (sides == 1 || !row->changed)
		return COLOR_NONE;
	strbuf_add_str(out, " → ");
	add_cell(row, SIDE_CANDIDATE, out);
	if (row->delta.kind != QUANTITY_NONE) {
		strbuf_add_str(out, " (");
		units_format_delta(row->unit, row->delta, false, out);
		strbuf_add_char(out, ')');
	}
	return report_color_of(row->delta);
}

static const struct fact_row *row_with(const struct fact_line *line, unsigned id)
{
	for (size_t i = 0; i < line->count; i++)
		if (line->rows[i].id == id)
			return &line->rows[i];
	return NULL;
}

/* "50.000ms/100.000ms": a quota says nothing without its period. */
static void add_cpu_max(const struct fact_line *line, unsigned side, struct strbuf *out)
{
	const struct fact_row *quota = row_with(line, CGROUP_VALUE_cpu_max_quota_us);
	const struct fact_row *period = row_with(line, CGROUP_VALUE_cpu_max_period_us);

	add_cell(quota, side, out);
	if (quota->sides[side].state == FACT_UNSEEN || !period ||
	    period->sides[side].state == FACT_UNSEEN)
		return;
	strbuf_add_char(out, '/');
	add_cell(period, side, out);
}

static enum table_color add_cpu_max_sides(const struct fact_line *line, unsigned sides,
                                          struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf candidate = STRBUF_INIT;
	size_t start = out->len;

	add_cpu_max(line, SIDE_BASELINE, out);
	if (sides == 1)
		return COLOR_NONE;
	add_cpu_max(line, SIDE_CANDIDATE, &candidate);
	if (strcmp(strbuf_str(out) + start, strbuf_str(&candidate)) != 0)
		strbuf_addf(out, " → %s", strbuf_str(&candidate));
	return report_color_of(row_with(line, CGROUP_VALUE_cpu_max_quota_us)->delta);
}

static enum table_color wide_cell(void *opaque, size_t index, unsigned column, struct strbuf *out)
{
	const struct facts_context *context = opaque;
	const struct fact_line *line = &context->lines[index];
	const struct fact_row *row;

	if (column == 0) {
		strbuf_add_str(out, line->rows[0].group);
		return COLOR_NONE;
	}
	row = row_with(line, context->columns[column].id);
	if (!row) {
		strbuf_add_char(out, '-');
		return COLOR_NONE;
	}
	if (context->section == SECTION_cgroup_limits && row->id == CGROUP_VALUE_cpu_max_quota_us)
		return add_cpu_max_sides(line, context->report->rows->sides, out);
	return add_sides(row, context->report->rows->sides, out);
}

static void print_heading(FILE *file, const struct report *report, const char *heading,
                          const char *part)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "## %s%s%s", heading, part ? " / " : "", part ? part : "");
	putc('\n', file);
	table_print_colored(file, &report->style, COLOR_HEADING, strbuf_str(&text));
	putc('\n', file);
}

static void print_left_out(FILE *file, const struct facts_context *context)
{
	if (context->left_out > 0)
		fprintf(file, "%zu more (--limit 0 shows all)\n", context->left_out);
}

/* Where the rows end that belong to the same group as the first one. */
static size_t group_end(const struct fact_row *rows, size_t start, size_t count)
{
	size_t end = start;

	while (end < count && rows[end].group == rows[start].group)
		end++;
	return end;
}

/* Columns that a column of the table takes on a terminal. */
static size_t measure(struct facts_context *context, unsigned column)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const char *heading = context->columns[column].heading;
	size_t widest = text_width(heading, strlen(heading));

	for (size_t line = 0; line < context->line_count; line++) {
		size_t width;

		strbuf_clear(&text);
		wide_cell(context, line, column, &text);
		width = text_width(strbuf_str(&text), text.len);
		if (width > widest)
			widest = width;
	}
	return widest;
}

/* How many columns from @start on fit beside the first one, which can give way; one at least. */
static unsigned columns_that_fit(struct facts_context *context, unsigned start)
{
	size_t width = context->report->style.width, total = measure(context, 0);
	unsigned end = start;

	if (width == 0)
		return context->column_count - start;
	if (total > GROUP_COLUMNS)
		total = GROUP_COLUMNS;
	while (end < context->column_count) {
		total += 1 + measure(context, end);
		if (total > width && end > start)
			break;
		end++;
	}
	return end - start;
}

/* Where the terminal is too narrow, columns go on below, with the names of the groups again. */
static void print_wide(FILE *file, struct facts_context *context)
{
	struct wide_column all[WIDE_COLUMNS_MAX];
	unsigned count = context->column_count, printed;

	memcpy(all, context->columns, sizeof(all));
	for (unsigned start = 1; start < count; start += printed) {
		struct table_column columns[WIDE_COLUMNS_MAX];

		memcpy(context->columns, all, sizeof(all));
		context->column_count = count;
		printed = columns_that_fit(context, start);
		context->column_count = printed + 1;
		memmove(context->columns + 1, all + start, printed * sizeof(all[0]));
		for (unsigned c = 0; c < context->column_count; c++)
			columns[c] =
			        (struct table_column){context->columns[c].heading, c > 0, c == 0};
		table_print(file, &context->report->style, columns, context->column_count,
		            context->line_count, wide_cell, context);
	}
	print_left_out(file, context);
}

static void add_column(struct facts_context *context, const char *heading, unsigned id)
{
	if (context->column_count < WIDE_COLUMNS_MAX)
		context->columns[context->column_count++] = (struct wide_column){heading, id};
}

/* Whether the column says anything. What stays as it is has a place in a comparison of limits, which are read
 * side by side, but not in one of what was used. */
static bool has_something(const struct facts_context *context, const struct fact_row *row)
{
	const struct fact_row_set *facts = context->report->facts;

	return row && (row->changed || facts->sides == 1 || facts->unchanged ||
	               context->section == SECTION_cgroup_limits);
}

/* The columns that a line has something for, in the order of the registry; sums over devices come last. */
static void choose_columns(struct facts_context *context)
{
	context->column_count = 0;
	add_column(context, "cgroup", 0);
	for (unsigned id = 0; id < WIDE_COLUMNS_MAX; id++) {
		const struct fact_row *row = NULL;
		const char *heading =
		        id < CGROUP_VALUE_COUNT ? cgroup_value_table[id].column : NULL;

		if (heading && heading[0] == '\0')
			continue;
		for (size_t i = 0; i < context->line_count && !has_something(context, row); i++)
			row = row_with(&context->lines[i], id);
		if (has_something(context, row))
			add_column(context, heading ? heading : row->metric, id);
	}
}

static unsigned version_of(const struct fact_row *row)
{
	return row->id < CGROUP_VALUE_COUNT ? cgroup_value_table[row->id].version : 2;
}

/* The hierarchies have other values, and so tables of their own. */
static void print_cgroups(FILE *file, struct facts_context *context, const struct fact_row *rows,
                          size_t count, unsigned version)
{
	context->line_count = context->left_out = 0;
	for (size_t at = 0; at < count; at = group_end(rows, at, count)) {
		if (version_of(&rows[at]) != version)
			continue;
		if (is_full(context, context->line_count))
			context->left_out++;
		else
			add_line(context, rows + at, group_end(rows, at, count) - at);
	}
	if (context->line_count == 0)
		return;
	choose_columns(context);
	print_heading(file, context->report, section_table[context->section].heading,
	              version == 1 ? "version 1" : NULL);
	print_wide(file, context);
}

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
	row = row_with(line, psi_line * PSI_VALUE_COUNT + column - PRESSURE_VALUES);
	if (row)
		return add_sides(row, context->report->rows->sides, out);
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

/* A group's lines of one resource, "some" and "full". Returns whether there are any. */
static bool add_pressure_lines(struct facts_context *context, const struct fact_row *rows,
                               size_t start, size_t end, unsigned resource)
{
	size_t before = context->line_count;

	for (size_t at = start; at < end;) {
		size_t next = at;

		while (next < end && psi_line_of(&rows[next]) == psi_line_of(&rows[at]))
			next++;
		if (psi_line_of(&rows[at]) / PSI_ROW_COUNT == resource)
			add_line(context, rows + at, next - at);
		at = next;
	}
	return context->line_count > before;
}

static void print_resource(FILE *file, struct facts_context *context, const struct fact_row *rows,
                           size_t count, unsigned resource)
{
	static const struct table_column columns[] = {
	        [PRESSURE_GROUP] = {"cgroup", false, true},
	        [PRESSURE_ROW] = {"row", false, false},
	        {"avg10", true, false},
	        {"avg60", true, false},
	        {"avg300", true, false},
	        {"total", true, false},
	};
	unsigned first = context->section == SECTION_host_pressure;
	size_t groups = 0;

	context->line_count = context->left_out = 0;
	for (size_t at = 0, end; at < count; at = end) {
		size_t before = context->line_count;

		end = group_end(rows, at, count);
		if (!add_pressure_lines(context, rows, at, end, resource))
			continue;
		if (is_full(context, groups)) {
			context->line_count = before;
			context->left_out++;
		} else {
			groups++;
		}
	}
	if (is_all_zero(context))
		return;
	print_heading(file, context->report, section_table[context->section].heading,
	              psi_resource_names[resource]);
	table_print(file, &context->report->style, columns + first,
	            (unsigned)ARRAY_SIZE(columns) - first, context->line_count, pressure_cell,
	            context);
	print_left_out(file, context);
}

enum { LONG_GROUP, LONG_KEY, LONG_BASELINE, LONG_CANDIDATE, LONG_DELTA, LONG_PERCENT };

static enum table_color long_cell(void *opaque, size_t index, unsigned column, struct strbuf *out)
{
	const struct facts_context *context = opaque;
	const struct fact_row *row = context->lines[index].rows;

	column += context->section == SECTION_sched_ext;
	switch (column) {
	case LONG_GROUP:
		strbuf_add_str(out, row->group);
		break;
	case LONG_KEY:
		strbuf_add_str(out, row->metric);
		break;
	case LONG_BASELINE:
		add_cell(row, SIDE_BASELINE, out);
		break;
	case LONG_CANDIDATE:
		add_cell(row, SIDE_CANDIDATE, out);
		break;
	case LONG_DELTA:
		return add_delta(row, out);
	case LONG_PERCENT:
		if (row->percent.kind == QUANTITY_NONE)
			strbuf_add_char(out, '-');
		else
			strbuf_addf(out, "%+.1f%%", quantity_double(row->percent));
		return report_color_of(row->percent);
	}
	return COLOR_NONE;
}

static void print_long(FILE *file, struct facts_context *context, const struct fact_row *rows,
                       size_t count)
{
	enum metric_section section = context->section;
	bool show = context->report->rows->sides == 1, events = section == SECTION_memory_events;
	struct table_column columns[] = {
	        [LONG_GROUP] = {section == SECTION_smaps_rollup ? "pcomm" : "cgroup", false, true},
	        [LONG_KEY] = {events ? "event" : "key", false, false},
	        [LONG_BASELINE] = {"baseline", true, false},
	        [LONG_CANDIDATE] = {"candidate", true, false},
	        [LONG_DELTA] = {"delta", true, false},
	        [LONG_PERCENT] = {"%", true, false},
	};
	unsigned column_count = show ? LONG_BASELINE + 1 : (unsigned)ARRAY_SIZE(columns);
	unsigned first = section == SECTION_sched_ext;

	if (show)
		columns[LONG_BASELINE].heading = events ? "count" : "value";
	if (section == SECTION_sched_ext)
		columns[LONG_KEY].heading = "attr";
	context->line_count = context->left_out = 0;
	for (size_t i = 0; i < count; i++)
		if (is_full(context, context->line_count))
			context->left_out++;
		else
			add_line(context, rows + i, 1);
	print_heading(file, context->report, section_table[section].heading, NULL);
	table_print(file, &context->report->style, columns + first, column_count - first,
	            context->line_count, long_cell, context);
	print_left_out(file, context);
}

static void print_section(FILE *file, const struct report *report, const struct fact_row *rows,
                          size_t count)
{
	cleanup_(facts_context_done) struct facts_context context = {.report = report,
	                                                             .section = rows->section};

	switch (rows->section) {
	case SECTION_cgroup_stats:
	case SECTION_cgroup_limits:
		print_cgroups(file, &context, rows, count, 2);
		print_cgroups(file, &context, rows, count, 1);
		break;
	case SECTION_pressure:
	case SECTION_host_pressure:
		for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
			print_resource(file, &context, rows, count, resource);
		break;
	default:
		print_long(file, &context, rows, count);
		break;
	}
}

void report_print_facts(FILE *file, const struct report *report)
{
	const struct fact_row_set *facts = report->facts;
	size_t end;

	for (size_t at = 0; facts && at < facts->count; at = end) {
		end = at;
		while (end < facts->count && facts->rows[end].section == facts->rows[at].section)
			end++;
		print_section(file, report, facts->rows + at, end - at);
	}
}

static bool lists_fact(const struct report *report, const struct fact_row *row)
{
	return report->facts->sides == 1 || report->facts->unchanged || row->changed;
}

const struct fact_row *report_next_fact(const struct report *report, struct fact_cursor *cursor)
{
	const struct fact_row_set *facts = report->facts;

	while (facts && cursor->at < facts->count) {
		const struct fact_row *row = &facts->rows[cursor->at];

		if (cursor->at > 0 && row[-1].section != row->section)
			cursor->section_rows = 0;
		cursor->at++;
		if (!lists_fact(report, row))
			continue;
		if (report->facts_limit == 0 || cursor->section_rows++ < report->facts_limit)
			return row;
		cursor->left_out++;
	}
	return NULL;
}

size_t report_facts_left_out(const struct report *report)
{
	struct fact_cursor cursor = {0};

	while (report_next_fact(report, &cursor))
		;
	return cursor.left_out;
}
