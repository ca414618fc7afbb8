// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/report-delays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report-overview.h"

/* clang-format off */
enum delay_kind {
#define DELAY(id_, name_) DELAY_##id_,
#include "delays.def"
#undef DELAY
	DELAY_COUNT,
};

enum delay_column { DELAY_NAME, DELAY_TIMES, DELAY_REAL, DELAY_VIRTUAL, DELAY_TOTAL, DELAY_AVERAGE, DELAY_MAX, DELAY_MIN, DELAY_COLUMNS };

#define DERIVED_MEASURE(id_) ((unsigned)METRIC_COUNT + (unsigned)DERIVED_##id_)
/* Only the kind cpu has time on a CPU; 0, which is no such metric, stands for none. */
static const struct {
	const char *name;
	unsigned measures[DELAY_COLUMNS];
} kinds[DELAY_COUNT] = {
#define DELAY(id_, name_) [DELAY_##id_] = {name_, {                                                \
	[DELAY_TIMES] = METRIC_##id_##_delay_count,                                                \
	[DELAY_REAL] = DELAY_##id_ == DELAY_cpu ? METRIC_cpu_run_real_total_ns : 0,                \
	[DELAY_VIRTUAL] = DELAY_##id_ == DELAY_cpu ? METRIC_run_time_ns : 0,                       \
	[DELAY_TOTAL] = METRIC_##id_##_delay_total_ns,                                             \
	[DELAY_AVERAGE] = DERIVED_MEASURE(avg_##id_##_delay_ns),                                   \
	[DELAY_MAX] = METRIC_##id_##_delay_max_ns,                                                 \
	[DELAY_MIN] = METRIC_##id_##_delay_min_ns}},
#include "delays.def"
#undef DELAY
};
/* clang-format on */

static const struct table_column columns[DELAY_COLUMNS] = {
        [DELAY_NAME] = {.heading = "delay"},
        [DELAY_TIMES] = {.heading = "count", .right = true},
        [DELAY_REAL] = {.heading = "real", .right = true, .leaves = 1},
        [DELAY_VIRTUAL] = {.heading = "virtual", .right = true, .leaves = 2},
        [DELAY_TOTAL] = {.heading = "total", .right = true},
        [DELAY_AVERAGE] = {.heading = "average", .right = true},
        [DELAY_MAX] = {.heading = "max", .right = true},
        [DELAY_MIN] = {.heading = "min", .right = true},
};

struct delay_line {
	const struct row_group *group;
	bool heading;
	enum delay_kind kind;
};

struct delay_lines {
	const struct row_set *set;
	struct delay_line *list; /* owned */
	size_t count, capacity;
	size_t groups, left_out;
	bool partial;
};

bool report_is_of_delays(unsigned measure)
{
	for (unsigned kind = 0; kind < DELAY_COUNT; kind++)
		for (unsigned column = DELAY_TIMES; column < DELAY_COLUMNS; column++)
			if (kinds[kind].measures[column] == measure && measure != 0)
				return true;
	return measure == DERIVED_MEASURE(total_offcpu_delay_ns);
}

/* A window has the longest and the shortest delays of threads that had none such before. If the average is beyond them, others had longer or
 * shorter ones. */
static bool is_of_others(const struct delay_lines *lines, const struct delay_line *line,
                         unsigned column, const struct row_view *view)
{
	double value = quantity_double(view->values[SIDE_BASELINE]), average;
	struct row_view other;

	if ((column != DELAY_MAX && column != DELAY_MIN) ||
	    lines->set->frames[SIDE_BASELINE].kind != KIND_window)
		return false;
	row_view(lines->set, line->group, kinds[line->kind].measures[DELAY_AVERAGE], &other);
	average = quantity_double(other.values[SIDE_BASELINE]);
	return column == DELAY_MAX ? value < floor(average) : value > ceil(average);
}

static enum table_color delay_cell(void *opaque, size_t row, unsigned column, struct strbuf *out)
{
	struct delay_lines *lines = opaque;
	const struct delay_line *line = &lines->list[row];
	unsigned measure = kinds[line->kind].measures[column];
	struct row_view view;

	if (column == DELAY_NAME) {
		strbuf_addf(out, "  %s", kinds[line->kind].name);
		return COLOR_NONE;
	}
	if (measure == 0)
		return COLOR_NONE;
	row_view(lines->set, line->group, measure, &view);
	if (is_of_others(lines, line, column, &view)) {
		strbuf_add_char(out, '-');
		return COLOR_NONE;
	}
	report_add_value(&view, SIDE_BASELINE, out);
	lines->partial = lines->partial || (row_has_value(&view, SIDE_BASELINE) &&
	                                    report_is_partial(&view, SIDE_BASELINE));
	return COLOR_NONE;
}

static bool delay_heading(void *opaque, size_t row, struct table_heading *ret, struct strbuf *out)
{
	const struct delay_lines *lines = opaque;
	const struct delay_line *line = &lines->list[row];
	uint32_t threads;

	if (!line->heading)
		return false;
	threads = line->group->sides[SIDE_BASELINE]->threads;
	ret->color = COLOR_HEADING;
	strbuf_addf(out, "%s, %u thread%s", line->group->label, threads, threads == 1 ? "" : "s");
	return true;
}

static void add_line(struct delay_lines *lines, struct delay_line line)
{
	*array_add(lines->list, lines->count, lines->capacity) = line;
}

/* Returns whether the kernel counted anything of the kind. */
static bool has_any(const struct row_set *set, const struct row_group *group, enum delay_kind kind)
{
	static const enum delay_column both[] = {DELAY_TIMES, DELAY_TOTAL};
	struct row_view view;

	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		row_view(set, group, kinds[kind].measures[both[i]], &view);
		if (view.values[SIDE_BASELINE].kind != QUANTITY_NONE &&
		    quantity_double(view.values[SIDE_BASELINE]) > 0)
			return true;
	}
	return false;
}

static void add_group(struct delay_lines *lines, const struct row_group *group, bool all)
{
	add_line(lines, (struct delay_line){.group = group, .heading = true});
	for (unsigned kind = 0; kind < DELAY_COUNT; kind++)
		if (all || kind == DELAY_cpu || has_any(lines->set, group, (enum delay_kind)kind))
			add_line(lines, (struct delay_line){.group = group,
			                                    .kind = (enum delay_kind)kind});
}

/* Rows are there of groups with a value that the conditions let through. Their first rows are in the order of the
 * groups. */
static void add_groups(struct delay_lines *lines, const struct report *report)
{
	const struct row_set *set = lines->set;
	bool *done = mem_calloc(set->group_count + 1, sizeof(*done));

	for (size_t i = 0; i < set->row_count; i++) {
		uint32_t group = set->rows[i].group;

		if (done[group] || !set->groups[group].sides[SIDE_BASELINE])
			continue;
		done[group] = true;
		if (report->limit > 0 && lines->groups == report->limit) {
			lines->left_out++;
			continue;
		}
		lines->groups++;
		add_group(lines, &set->groups[group], false);
	}
	lines->left_out += set->groups_left_out;
	free(done);
}

static void add_foot(const struct report *report, const struct delay_lines *lines,
                     const struct row_group *host, struct strbuf *out)
{
	struct row_view view;

	strbuf_add_str(out,
	               "groups have no line for kinds without a delay; the first part has all\n");
	if (lines->left_out > 0)
		strbuf_addf(out, "%zu more group%s (--limit 0 shows all)\n", lines->left_out,
		            lines->left_out == 1 ? "" : "s");
	if (lines->partial)
		strbuf_add_str(out, "* some threads, or parts of a sum, are not in the value\n");
	row_view(lines->set, host, kinds[DELAY_blkio].measures[DELAY_TIMES], &view);
	if (!row_has_value(&view, SIDE_BASELINE))
		strbuf_add_str(out,
		               "- was not seen; 'ctprof doctor' has the reasons and switches\n");
	report_add_second_rest(report, out);
	if (report->verbose)
		report_add_head(report, out);
}

static bool is_selection(const struct report *report)
{
	return host_text(&report->sides[SIDE_BASELINE].info->host, HOST_selection);
}

void report_print_delays(FILE *file, const struct report *report)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char of_host[] = "host", of_some[] = "selected processes";
	const struct row_group host = {.label = is_selection(report) ? of_some : of_host,
	                               .sides = {report->rows->totals[SIDE_BASELINE]}};
	struct delay_lines lines = {.set = report->rows};

	report_add_two_lines(report, &text);
	table_print_text(file, &report->style, &text);
	strbuf_clear(&text);
	add_group(&lines, &host, true);
	add_groups(&lines, report);
	table_print_tree(file, &report->style, columns, DELAY_COLUMNS, lines.count, delay_cell,
	                 delay_heading, &lines);
	add_foot(report, &lines, &host, &text);
	if (report->style.markdown)
		putc('\n', file);
	table_print_text(file, &report->style, &text);
	free(lines.list);
}
