// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/report-rollup.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "metric/units.h"
#include "report-overview.h"

/* The columns for one side, and for two. */
enum rollup_column {
	ROLLUP_PATH,
	ROLLUP_TOTAL,
	ROLLUP_CANDIDATE,
	ROLLUP_DELTA,
	ROLLUP_OWN, /* of two sides, its delta */
	ROLLUP_HOST,
	ROLLUP_PARENT,
	ROLLUP_PROCESSES,
	ROLLUP_COLUMN_COUNT,
};

struct rollup_table {
	const struct report *report;
	const struct rollup *rollup;
	enum rollup_column columns[ROLLUP_COLUMN_COUNT];
};

/* Processes can be as deep as there are ids, so what is deeper has its depth in front of it. */
enum { ROLLUP_INDENT = 2, ROLLUP_INDENT_MAX = 40 };

/* Clock ticks are shown as time. */
static enum metric_unit unit_of(const struct rollup *rollup, struct quantity *value)
{
	return units_ticks_as_time(measure_unit(rollup->measure), rollup->clock_ticks_per_second,
	                           value);
}

static void add_value(const struct rollup *rollup, const struct rollup_part *part, unsigned side,
                      struct strbuf *out)
{
	struct quantity value = part->values[side];
	enum metric_unit unit = unit_of(rollup, &value);

	units_format(unit, value, measure_is_derived(rollup->measure), out);
	if (value.kind != QUANTITY_NONE)
		strbuf_add_str(out, measure_per_table[rollup->per].suffix);
	if (part->partial[side])
		strbuf_add_char(out, '*');
	if (part->began_before[side])
		strbuf_add_str(out, report_began_before_mark);
}

static enum table_color add_delta(const struct rollup *rollup, const struct rollup_part *part,
                                  struct strbuf *out)
{
	struct quantity delta = part->delta;
	enum metric_unit unit = unit_of(rollup, &delta);

	units_format_delta(unit, delta, measure_is_derived(rollup->measure), out);
	if (delta.kind == QUANTITY_NONE)
		return COLOR_NONE;
	strbuf_add_str(out, measure_per_table[rollup->per].suffix);
	if (part->measured_differently) {
		strbuf_add_str(out, report_measured_mark);
		return COLOR_NONE;
	}
	return report_color_of(delta);
}

static void add_percent(struct quantity percent, struct strbuf *out)
{
	if (percent.kind == QUANTITY_NONE)
		strbuf_add_char(out, '-');
	else
		strbuf_addf(out, "%.1f", quantity_double(percent));
}

static void add_path(const struct rollup_row *row, bool is_process, struct strbuf *out)
{
	const struct path_node *node = row->node;
	uint32_t indent = ROLLUP_INDENT * node->depth;
	bool is_deep = is_process && indent > ROLLUP_INDENT_MAX;

	if (is_deep)
		indent = ROLLUP_INDENT_MAX;
	for (unsigned i = 0; i < indent; i++)
		strbuf_add_char(out, ' ');
	if (is_deep)
		strbuf_addf(out, "[%u] ", node->depth);
	strbuf_add(out, node->path + node->path_len - node->name_len, node->name_len);
}

static enum table_color rollup_cell(void *opaque, size_t index, unsigned column, struct strbuf *out)
{
	const struct rollup_table *table = opaque;
	const struct rollup *rollup = table->rollup;
	const struct rollup_row *row = &rollup->rows[index];
	unsigned sides = table->report->rows->sides;

	switch (table->columns[column]) {
	case ROLLUP_PATH:
		add_path(row, rollup_is_of_processes(table->report->rows), out);
		break;
	case ROLLUP_TOTAL:
		add_value(rollup, &row->total, SIDE_BASELINE, out);
		break;
	case ROLLUP_CANDIDATE:
		add_value(rollup, &row->total, SIDE_CANDIDATE, out);
		break;
	case ROLLUP_DELTA:
		return add_delta(rollup, &row->total, out);
	case ROLLUP_OWN:
		/* Nothing stands where no process is. */
		if (row->has_own && sides == SIDE_MAX)
			return add_delta(rollup, &row->own, out);
		if (row->has_own)
			add_value(rollup, &row->own, SIDE_BASELINE, out);
		break;
	case ROLLUP_HOST:
		add_percent(row->host_percent, out);
		break;
	case ROLLUP_PARENT:
		if (row->node->parent != PATH_NODE_NONE)
			add_percent(row->parent_percent, out);
		break;
	case ROLLUP_PROCESSES:
		strbuf_addf(out, "%u", row->total.processes[sides - 1]);
		break;
	case ROLLUP_COLUMN_COUNT:
		break;
	}
	return COLOR_NONE;
}

/* Fills the columns and their headings; returns how many there are. */
static unsigned choose_columns(struct rollup_table *table, const char *path_heading,
                               struct table_column *columns)
{
	static const struct {
		enum rollup_column column;
		unsigned sides;
		unsigned leaves;
		const char *heading;
	} all[] = {
	        {ROLLUP_PATH, 0, 0, NULL},         {ROLLUP_TOTAL, 1, 0, "total"},
	        {ROLLUP_TOTAL, 2, 4, "baseline"},  {ROLLUP_CANDIDATE, 2, 5, "candidate"},
	        {ROLLUP_DELTA, 2, 0, "delta"},     {ROLLUP_OWN, 1, 0, "own"},
	        {ROLLUP_OWN, 2, 3, "own delta"},   {ROLLUP_HOST, 0, 0, "% host"},
	        {ROLLUP_PARENT, 0, 2, "% parent"}, {ROLLUP_PROCESSES, 0, 1, "processes"},
	};
	unsigned count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i].sides > 0 && all[i].sides != table->report->rows->sides)
			continue;
		table->columns[count] = all[i].column;
		columns[count++] = (struct table_column){
		        .heading = all[i].heading ? all[i].heading : path_heading,
		        .right = all[i].column != ROLLUP_PATH,
		        .shrinks = all[i].column == ROLLUP_PATH ? SHRINKS_ALWAYS : SHRINKS_NEVER,
		        .leaves = all[i].leaves};
	}
	return count;
}

/* Appends the line above a tree: its measure, and the host's value. */
static void add_title(const struct report *report, const struct rollup *rollup, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s, host ", measure_name(rollup->measure));
	add_value(rollup, &rollup->host, SIDE_BASELINE, &line);
	if (report->rows->sides == SIDE_MAX) {
		strbuf_addf(&line, " %s ", overview_arrow(report));
		add_value(rollup, &rollup->host, SIDE_CANDIDATE, &line);
	}
	overview_add_line(report, &line, out);
}

static bool has_partial(const struct rollup *rollup, size_t shown)
{
	for (size_t i = 0; i < shown; i++)
		if (rollup->rows[i].total.partial[0] || rollup->rows[i].total.partial[1])
			return true;
	return false;
}

static bool has_measured_differently(const struct rollup *rollup, size_t shown)
{
	for (size_t i = 0; i < shown; i++)
		if ((rollup->rows[i].total.measured_differently &&
		     rollup->rows[i].total.delta.kind != QUANTITY_NONE) ||
		    (rollup->rows[i].own.measured_differently &&
		     rollup->rows[i].own.delta.kind != QUANTITY_NONE))
			return true;
	return false;
}

static bool has_began_before(const struct rollup *rollup, size_t shown)
{
	for (size_t i = 0; i < shown; i++)
		if (rollup->rows[i].total.began_before[0] || rollup->rows[i].total.began_before[1])
			return true;
	return false;
}

static void add_count(const struct report *report, size_t count, struct strbuf *out)
{
	const char *one = "directory", *many = "directories";

	if (rollup_is_of_processes(report->rows)) {
		one = "process";
		many = "processes";
	}
	strbuf_addf(out, "%s%zu %s ", out->len > 0 ? "; " : "", count, count == 1 ? one : many);
}

/* Appends what a tree does not show. */
static void add_foot(const struct report *report, const struct rollup *rollup, size_t shown,
                     struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	if (shown < rollup->count) {
		add_count(report, rollup->count - shown, &line);
		strbuf_add_str(&line, "more (--limit 0 shows all)");
	}
	if (rollup->below > 0) {
		add_count(report, rollup->below, &line);
		strbuf_addf(&line, "below %g %% of the host (share=0 shows all)",
		            rollup->options.least_percent);
	}
	if (rollup->deeper > 0) {
		add_count(report, rollup->deeper, &line);
		strbuf_addf(&line, "deeper than %zu", rollup->options.depth);
	}
	overview_add_line(report, &line, out);
	strbuf_clear(&line);
	if (has_partial(rollup, shown))
		strbuf_add_str(&line, "* some threads, or parts of a sum, are not in the value");
	overview_add_line(report, &line, out);
	strbuf_clear(&line);
	if (has_began_before(rollup, shown))
		strbuf_addf(&line, "%s waits that are longer than the threads were in the window",
		            report_began_before_mark);
	overview_add_line(report, &line, out);
	strbuf_clear(&line);
	if (has_measured_differently(rollup, shown))
		strbuf_addf(&line, "%s ended threads incomplete in one window, not ranked",
		            report_measured_mark);
	overview_add_line(report, &line, out);
}

size_t report_rollup_shown(const struct report_rollup *of, const struct rollup *tree)
{
	return of->limit > 0 && of->limit < tree->count ? of->limit : tree->count;
}

size_t report_rollup_left_out(const struct report_rollup *of)
{
	size_t left_out = 0;

	for (size_t t = 0; t < of->count; t++)
		left_out += of->trees[t].count - report_rollup_shown(of, &of->trees[t]);
	return left_out;
}

static void print_tree(FILE *file, const struct report *report, const struct report_rollup *of,
                       const struct rollup *rollup)
{
	struct rollup_table table = {.report = report, .rollup = rollup};
	struct table_column columns[ROLLUP_COLUMN_COUNT];
	unsigned count = choose_columns(&table, of->name, columns);
	size_t shown = report_rollup_shown(of, rollup);
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	add_title(report, rollup, &text);
	table_print_text(file, &report->style, &text);
	table_print(file, &report->style, columns, count, shown, rollup_cell, &table);
	if (report->style.markdown)
		putc('\n', file);
	strbuf_clear(&text);
	add_foot(report, rollup, shown, &text);
	table_print_text(file, &report->style, &text);
}

void report_rollup_table(FILE *file, const struct report *report, const struct report_rollup *of)
{
	const char *above = rollup_is_of_processes(report->rows) ? "of its ancestors"
	                                                         : "directory above its own";
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;

	report_add_two_lines(report, &text);
	table_print_text(file, &report->style, &text);
	for (size_t i = 0; i < of->count; i++) {
		if (i > 0 && !report->style.markdown)
			putc('\n', file);
		print_tree(file, report, of, &of->trees[i]);
	}
	strbuf_clear(&text);
	strbuf_addf(&line, "a process counts for each %s: totals overlap, own adds up", above);
	overview_add_line(report, &line, &text);
	table_print_text(file, &report->style, &text);
}
