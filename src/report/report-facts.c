// SPDX-License-Identifier: GPL-2.0-or-later
#include "report-facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "metric/units.h"
#include "report/report-text.h"
#include "report/report.h"

enum { GROUP_COLUMNS = 24 };

static void facts_context_done(struct facts_context *context)
{
	free(context->lines);
}

/* Appends "50.000ms/100.000ms": a quota needs its period. */
static void add_cpu_max(const struct fact_row *quota, const struct fact_row *period, unsigned side,
                        struct strbuf *out)
{
	if (quota)
		facts_add_cell(quota, side, out);
	else
		strbuf_add_char(out, '-');
	if (!period || period->sides[side].state == FACT_UNSEEN)
		return;
	strbuf_add_char(out, '/');
	facts_add_cell(period, side, out);
}

/* Appends " (+10.000ms)", or " (+10.000ms/-50.000ms)" if the period differs as well. */
static void add_cpu_max_delta(const struct fact_row *quota, const struct fact_row *period,
                              struct strbuf *out)
{
	bool has_quota = quota && quota->delta.kind != QUANTITY_NONE;
	bool has_period = period && period->changed && period->delta.kind != QUANTITY_NONE;

	if (!has_quota && !has_period)
		return;
	strbuf_add_str(out, " (");
	if (has_quota)
		units_format_delta(quota->unit, quota->delta, false, out);
	else
		strbuf_add_char(out, '-');
	if (has_period) {
		strbuf_add_char(out, '/');
		units_format_delta(period->unit, period->delta, false, out);
	}
	strbuf_add_char(out, ')');
}

static enum table_color add_cpu_max_sides(const struct fact_line *line, unsigned sides,
                                          struct strbuf *out)
{
	const struct fact_row *quota = facts_row_with(line, CGROUP_VALUE_cpu_max_quota_us);
	const struct fact_row *period = facts_row_with(line, CGROUP_VALUE_cpu_max_period_us);

	add_cpu_max(quota, period, SIDE_BASELINE, out);
	if (sides == 1 || !((quota && quota->changed) || (period && period->changed)))
		return COLOR_NONE;
	strbuf_add_str(out, " → ");
	add_cpu_max(quota, period, SIDE_CANDIDATE, out);
	add_cpu_max_delta(quota, period, out);
	return report_color_of(quota && quota->changed ? quota->delta : period->delta);
}

/* Returns the column of a value, or none if it is in no table. */
static unsigned column_of(const struct fact_row *row)
{
	return row->id == CGROUP_VALUE_cpu_max_period_us ? CGROUP_VALUE_cpu_max_quota_us : row->id;
}

static bool has_column(const struct fact_row *row)
{
	unsigned column = column_of(row);

	return column >= CGROUP_VALUE_COUNT || cgroup_value_table[column].column[0] != '\0';
}

/* Returns a row of the column; for cpu.max one of two. */
static const struct fact_row *row_of_column(const struct fact_line *line, unsigned column)
{
	for (size_t i = 0; i < line->count; i++)
		if (column_of(&line->rows[i]) == column)
			return &line->rows[i];
	return NULL;
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
	row = row_of_column(line, context->columns[column].id);
	if (!row) {
		strbuf_add_char(out, '-');
		return COLOR_NONE;
	}
	if (context->columns[column].id == CGROUP_VALUE_cpu_max_quota_us)
		return add_cpu_max_sides(line, context->report->rows->sides, out);
	return facts_add_sides(row, context->report->rows->sides, out);
}

/* Returns the width of a column of the table on a terminal. */
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

/* Returns how many columns from @start on fit beside the first one, which can be cut; at least one. */
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

/* Columns that do not fit the terminal continue below, with the names of the groups again. */
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
			columns[c] = (struct table_column){context->columns[c].heading, c > 0,
			                                   c == 0, 0};
		table_print(file, &context->report->style, columns, context->column_count,
		            context->line_count, wide_cell, context);
	}
	facts_print_left_out(file, context);
}

static void add_column(struct facts_context *context, const char *heading, unsigned id)
{
	if (context->column_count < WIDE_COLUMNS_MAX)
		context->columns[context->column_count++] = (struct wide_column){heading, id};
}

static bool is_of_above(const struct fact_row *row)
{
	return row->id >= FACT_ID_DERIVED + FACT_DERIVED_throttled_by &&
	       row->id <= FACT_ID_DERIVED + FACT_DERIVED_pids_limit_by;
}

/* Returns whether a cell of the line names another cgroup than its own. */
static bool names_another(const struct fact_line *line, unsigned id)
{
	const struct fact_row *row = facts_row_with(line, id);
	bool another = false;

	for (unsigned side = 0; row && side < SIDE_MAX; side++) {
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

		if (row->sides[side].state != FACT_TEXT)
			continue;
		text_add_escaped(&name, row->sides[side].text, strlen(row->sides[side].text));
		another = another || strcmp(strbuf_str(&name), line->rows[0].group) != 0;
	}
	return another;
}

/* Returns whether the limit is the cgroup's own: then it is in the column of its own file already. In the registry, a
 * limit is followed by the name of the cgroup that has it. */
static bool is_said_already(const struct fact_line *line, unsigned id)
{
	unsigned first = FACT_ID_DERIVED + FACT_DERIVED_cpu_limit_percent;

	if (id < first || id > FACT_ID_DERIVED + FACT_DERIVED_pids_limit_by)
		return false;
	return !names_another(line, first + ((id - first) | 1));
}

/* Returns whether the column has information. Unchanged values have some in a comparison of limits, which are read side
 * by side, but not in one of usage. */
static bool has_something(const struct facts_context *context, const struct fact_row *row)
{
	const struct fact_row_set *facts = context->report->facts;

	/* A column is not needed if nothing above limits or throttles. */
	if (row && is_of_above(row) && !row->changed &&
	    (row->sides[0].state == FACT_UNLIMITED ||
	     (row->sides[0].state == FACT_NUMBER && quantity_is_zero(row->sides[0].number))))
		return false;
	return row && (row->changed || facts->sides == 1 || facts->unchanged ||
	               context->section == SECTION_cgroup_limits);
}

/* Chooses the columns for which a line has a value, in the order of the registry; sums over devices come last. */
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
			row = is_said_already(&context->lines[i], id)
			              ? NULL
			              : row_of_column(&context->lines[i], id);
		if (row && has_something(context, row))
			add_column(context, heading ? heading : row->metric, id);
	}
}

/* Returns the version. Lists of version 1 are not kept, and computed values belong to either. */
static unsigned version_of(const struct fact_line *line)
{
	static const char v1_prefix[] = "v1:";

	for (size_t i = 0; i < line->count; i++)
		if (line->rows[i].id < CGROUP_VALUE_COUNT)
			return cgroup_value_table[line->rows[i].id].version;
	return strncmp(line->rows[0].group, v1_prefix, strlen(v1_prefix)) == 0 ? 1 : 2;
}

/* Returns whether the table shows why the group is listed: not every value has a column. */
static bool is_shown(const struct facts_context *context, const struct fact_line *line)
{
	const struct fact_row_set *facts = context->report->facts;

	for (size_t i = 0; i < line->count; i++)
		if (has_column(&line->rows[i]) &&
		    (line->rows[i].changed || facts->sides == 1 || facts->unchanged))
			return true;
	return false;
}

static bool is_partial(const struct facts_context *context, const struct fact_row *row)
{
	bool partial = false;

	for (unsigned side = 0; row && side < context->report->rows->sides; side++)
		partial = partial || fact_row_is_partial(row, side);
	return partial;
}

/* Notes whether a column of a line has a partial value. */
static void note_partial(struct facts_context *context)
{
	for (size_t line = 0; line < context->line_count; line++)
		for (unsigned c = 1; c < context->column_count; c++)
			context->partial =
			        context->partial ||
			        is_partial(context, row_of_column(&context->lines[line],
			                                          context->columns[c].id));
}

/* The hierarchies have different values, and so tables of their own. */
static void print_cgroups(FILE *file, struct facts_context *context, const struct fact_row *rows,
                          size_t count, unsigned version)
{
	context->line_count = context->left_out = 0;
	for (size_t at = 0, end; at < count; at = end) {
		struct fact_line line;

		end = facts_group_end(rows, at, count);
		line = (struct fact_line){rows + at, end - at};
		if (version_of(&line) != version || !is_shown(context, &line))
			continue;
		if (facts_is_full(context, context->line_count))
			context->left_out++;
		else
			facts_add_line(context, line.rows, line.count);
	}
	if (context->line_count == 0)
		return;
	choose_columns(context);
	note_partial(context);
	facts_print_heading(file, context->report, section_table[context->section].heading,
	                    version == 1 ? "version 1" : NULL);
	print_wide(file, context);
}

enum { LONG_GROUP, LONG_KEY, LONG_BASELINE, LONG_CANDIDATE, LONG_DELTA, LONG_PERCENT };

/* Returns whether the rows are the host's: it is one group, and needs no column. */
static bool is_of_host(enum metric_section section)
{
	return section_table[section].subject == SUBJECT_HOST;
}

static enum table_color long_cell(void *opaque, size_t index, unsigned column, struct strbuf *out)
{
	const struct facts_context *context = opaque;
	const struct fact_row *row = context->lines[index].rows;

	column += is_of_host(context->section);
	switch (column) {
	case LONG_GROUP:
		strbuf_add_str(out, row->group);
		break;
	case LONG_KEY:
		strbuf_add_str(out, row->metric);
		break;
	case LONG_BASELINE:
		facts_add_cell(row, SIDE_BASELINE, out);
		break;
	case LONG_CANDIDATE:
		facts_add_cell(row, SIDE_CANDIDATE, out);
		break;
	case LONG_DELTA:
		return facts_add_delta(row, out);
	case LONG_PERCENT:
		if (row->percent.kind == QUANTITY_NONE)
			strbuf_add_char(out, '-');
		else
			strbuf_addf(out, "%+.1f%%", quantity_double(row->percent));
		return report_color_of_percent(row->percent);
	}
	return COLOR_NONE;
}

static void print_long(FILE *file, struct facts_context *context, const struct fact_row *rows,
                       size_t count)
{
	enum metric_section section = context->section;
	bool show = context->report->rows->sides == 1, events = section == SECTION_memory_events;
	struct table_column columns[] = {
	        [LONG_GROUP] = {section == SECTION_smaps_rollup ? "pcomm" : "cgroup", false,
	                        SHRINKS_ALWAYS, 0},
	        [LONG_KEY] = {events ? "event" : "key", false, SHRINKS_WRAPPED, 0},
	        [LONG_BASELINE] = {"baseline", true, SHRINKS_NEVER, show ? 0 : 1},
	        [LONG_CANDIDATE] = {"candidate", true, SHRINKS_NEVER, 2},
	        [LONG_DELTA] = {"delta", true, SHRINKS_NEVER, 0},
	        [LONG_PERCENT] = {"%", true, SHRINKS_NEVER, 3},
	};
	unsigned column_count = show ? LONG_BASELINE + 1 : (unsigned)ARRAY_SIZE(columns);
	unsigned first = is_of_host(section);

	if (show)
		columns[LONG_BASELINE].heading = events ? "count" : "value";
	if (section == SECTION_sched_ext)
		columns[LONG_KEY].heading = "attr";
	if (section == SECTION_settings) {
		columns[LONG_KEY].heading = "setting";
		column_count = show ? LONG_BASELINE + 1 : LONG_CANDIDATE + 1;
		/* Values of settings are texts of any length, and the difference is all that the row has. */
		for (unsigned c = LONG_BASELINE; c <= LONG_CANDIDATE; c++)
			columns[c] =
			        (struct table_column){columns[c].heading, false, SHRINKS_ALWAYS, 0};
	}
	context->line_count = context->left_out = 0;
	for (size_t i = 0; i < count; i++)
		if (facts_is_full(context, context->line_count))
			context->left_out++;
		else
			facts_add_line(context, rows + i, 1);
	facts_print_heading(file, context->report, section_table[section].heading, NULL);
	table_print(file, &context->report->style, columns + first, column_count - first,
	            context->line_count, long_cell, context);
	facts_print_left_out(file, context);
}

static void note_partial_rows(struct facts_context *context, const struct fact_row *rows,
                              size_t count)
{
	for (size_t i = 0; i < count; i++)
		context->partial = context->partial || is_partial(context, &rows[i]);
}

static void print_footnote(FILE *file, const struct facts_context *context,
                           const struct fact_row *rows, size_t count)
{
	const struct report *report = context->report;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const char *separator = report->style.markdown ? "\n" : "";
	bool went_back = false, remade = false;

	for (size_t i = 0; i < count; i++) {
		went_back = went_back || rows[i].went_back;
		remade = remade || rows[i].remade;
	}
	if (context->partial)
		strbuf_addf(
		        &text, "%s%s* lacks %s\n", separator, report->style.markdown ? "\\" : "",
		        rows->section == SECTION_smaps_rollup
		                ? "processes whose smaps_rollup was not read"
		                : "cgroups that only one reading has, or cgroups above that could "
		                  "not be read");
	if (went_back)
		strbuf_addf(&text,
		            "%s%s went back: a counter is lower than before, so it was counted "
		            "anew%s, and there is no difference\n",
		            separator, report_went_back_mark,
		            rows->section == SECTION_sched_ext
		                    ? ""
		                    : ", as that of another cgroup under the same path");
	if (remade)
		strbuf_addf(
		        &text,
		        "%s%s remade: a cgroup of the first snapshot was removed, and the value of "
		        "the second one is that of another cgroup; there is no difference\n",
		        separator, report_remade_mark);
	if (report->style.ascii && !report->style.markdown)
		text_make_ascii(&text);
	fputs(strbuf_str(&text), file);
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
		facts_print_pressure(file, &context, rows, count);
		note_partial_rows(&context, rows, count);
		break;
	default:
		print_long(file, &context, rows, count);
		note_partial_rows(&context, rows, count);
		break;
	}
	print_footnote(file, &context, rows, count);
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
	return !row->companion &&
	       (report->facts->sides == 1 || report->facts->unchanged || row->changed);
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
