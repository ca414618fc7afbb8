// SPDX-License-Identifier: GPL-2.0-or-later
#include "report-cells.h"

#include <math.h>
#include <string.h>

#include "metric/units.h"

bool report_is_tree(const struct report *report)
{
	return report->rows->by.tree && report->columns.count > 0 &&
	       report->columns.columns[0] == COLUMN_group;
}

void report_cell_columns(const struct report *report, struct cell_columns *ret)
{
	const struct group_by *by = &report->rows->by;

	ret->count = 0;
	for (unsigned i = 0; i < report->columns.count; i++) {
		enum report_column column = (enum report_column)report->columns.columns[i];
		bool tree = report_is_tree(report);
		unsigned keys = column == COLUMN_group && !tree ? by->count : 1;

		for (unsigned key = 0; key < keys; key++)
			ret->columns[ret->count++] = (struct cell_column){
			        column, tree || by->count == 1 ? KEY_LABEL : key};
	}
}

const char *report_cell_heading(const struct report *report, struct cell_column column)
{
	const struct row_set *set = report->rows;

	if (column.column == COLUMN_SORTED)
		return measure_name(report->sorted_by);
	if (column.column != COLUMN_group)
		return column_table[column.column].heading;
	if (report_is_tree(report))
		return set->by.tree->heading;
	return group_by_heading(&set->by, column.key == KEY_LABEL ? 0 : column.key);
}

bool report_cell_is_number(struct cell_column column)
{
	switch (column.column) {
	case COLUMN_group:
	case COLUMN_metric:
	case COLUMN_section:
	case COLUMN_type:
	case COLUMN_unit:
	case COLUMN_tags:
	case COLUMN_missing_inputs:
	case COLUMN_marks:
	case COLUMN_comparison:
		return false;
	default:
		return true;
	}
}

const struct row_view *report_view_of(struct row_context *context, size_t index)
{
	const struct row_set *set = context->report->rows;
	const struct row *row = &set->rows[index];

	if (context->view_row != index + 1) {
		row_view(set, &set->groups[row->group], row->measure, &context->view);
		context->view_row = index + 1;
	}
	return &context->view;
}

/* Returns the last segment of a path, or all of it. */
static const char *leaf_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Appends the first segment of @path that differs from that of @other. */
static void add_first_other(const char *path, const char *other, struct strbuf *out)
{
	size_t start = 0;

	for (size_t i = 0; path[i] && path[i] == other[i]; i++)
		if (path[i] == '/')
			start = i + 1;
	strbuf_add(out, path + start, strcspn(path + start, "/"));
}

void report_add_renamed(const struct row_set *set, const struct row_group *group,
                        struct strbuf *out)
{
	unsigned key = 0;

	if (!group->renamed)
		return;
	while (set->by.keys[key] != GROUP_KEY_cgroup)
		key++;
	strbuf_add_str(out, " [renamed: ");
	/* If another segment differs, the last one shows nothing. */
	if (strcmp(leaf_of(group->renamed), leaf_of(group->parts[key])) == 0)
		add_first_other(group->renamed, group->parts[key], out);
	else
		strbuf_add_str(out, leaf_of(group->renamed));
	strbuf_add_char(out, ']');
}

static void add_group(const struct report *report, const struct row_view *view, unsigned key,
                      struct strbuf *out)
{
	const struct row_group *group = view->group;
	const struct group_by *by = &report->rows->by;

	if (key == KEY_LABEL || group->exited) {
		strbuf_add_str(out, key == KEY_LABEL || key == 0 ? group->label : "");
		return;
	}
	strbuf_add_str(out, group->parts[key]);
	if (by->keys[key] == GROUP_KEY_cgroup)
		report_add_renamed(report->rows, group, out);
}

static void add_count(const struct group *group, struct strbuf *out)
{
	if (group)
		strbuf_addf(out, "%u", group->threads);
	else
		strbuf_add_char(out, '-');
}

static void add_threads(const struct row_view *view, unsigned sides, struct strbuf *out)
{
	const struct group *baseline = view->group->sides[SIDE_BASELINE];
	const struct group *candidate = view->group->sides[SIDE_CANDIDATE];

	if (row_group_is_exited(view->group)) {
		strbuf_add_char(out, '-');
		return;
	}
	if (view->is_new || view->is_gone) {
		strbuf_addf(out, "%s ", view->is_new ? "new" : "gone");
		add_count(view->is_new ? candidate : baseline, out);
		return;
	}
	add_count(baseline, out);
	if (sides == SIDE_MAX &&
	    (!baseline || !candidate || baseline->threads != candidate->threads)) {
		strbuf_add_str(out, "→");
		add_count(candidate, out);
	}
	if (view->members_differ)
		strbuf_add_str(out, report_members_mark);
}

/* Ranges and sets of CPUs may differ with the same midpoint, or as many CPUs. */
static bool differs_without_number(const struct row_view *view)
{
	enum metric_id metric = (enum metric_id)view->measure;

	return !measure_is_derived(view->measure) && quantity_is_zero(view->delta) &&
	       (metric_table[metric].rule == RULE_RANGE ||
	        metric_table[metric].rule == RULE_AFFINITY) &&
	       !fold_equal(metric, view->cells[SIDE_BASELINE], view->cells[SIDE_CANDIDATE]);
}

static enum table_color add_delta(const struct row_view *view, struct strbuf *out)
{
	const struct fold_cell *baseline = view->cells[SIDE_BASELINE];
	const struct fold_cell *candidate = view->cells[SIDE_CANDIDATE];
	uint32_t threads;

	if (differs_without_number(view)) {
		strbuf_add_str(out, "differs");
		return COLOR_NONE;
	}
	if (!measure_is_label(view->measure)) {
		report_add_difference(view, out);
		if (view->went_back)
			strbuf_add_str(out, report_went_back_mark);
		else if (view->impossible_differs)
			strbuf_add_str(out, report_impossible_mark);
		if (view->measured_differently)
			strbuf_add_str(out, report_measured_mark);
		if (view->delta_partial)
			strbuf_add_char(out, '*');
		if (view->delta_began_before)
			strbuf_add_str(out, report_began_before_mark);
		return report_color_of(view->delta);
	}
	if (!baseline || !candidate || baseline->seen == 0 || candidate->seen == 0)
		strbuf_add_char(out, '-');
	else if (strcmp(fold_winner(baseline, &threads), fold_winner(candidate, &threads)) == 0)
		strbuf_add_str(out, "same");
	else
		strbuf_add_str(out, "differs");
	return COLOR_NONE;
}

static enum table_color add_percent(struct quantity percent, struct strbuf *out)
{
	const double shown_from = 0.05;

	if (percent.kind == QUANTITY_NONE)
		strbuf_add_char(out, '-');
	else if (!quantity_is_zero(percent) && fabs(quantity_double(percent)) < shown_from)
		strbuf_add_str(out, "<0.1%");
	else
		strbuf_addf(out, "%+.1f%%", quantity_double(percent));
	return report_color_of_percent(percent);
}

/* Appends one side's text of a column that has two values. */
typedef void side_function(const struct report *report, const struct row_view *view, unsigned side,
                           enum report_column column, struct strbuf *out);

/* Appends "A→B", or "A" if both sides have the same text. */
static void add_sides(const struct report *report, const struct row_view *view,
                      enum report_column column, side_function *add, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf other = STRBUF_INIT;
	size_t start = out->len;

	add(report, view, SIDE_BASELINE, column, out);
	if (report->rows->sides == 1)
		return;
	add(report, view, SIDE_CANDIDATE, column, &other);
	if (out->len - start == other.len && memcmp(out->data + start, other.data, other.len) == 0)
		return;
	strbuf_add_str(out, "→");
	strbuf_add(out, other.data, other.len);
}

static void add_coverage(const struct report *report, const struct row_view *view, unsigned side,
                         enum report_column column, struct strbuf *out)
{
	(void)report;
	(void)column;
	if (row_group_is_exited(view->group) || !view->group->sides[side])
		strbuf_add_char(out, '-');
	else
		strbuf_addf(out, "%u/%u", view->seen[side], view->expected[side]);
}

static void add_seen(const struct report *report, const struct row_view *view, unsigned side,
                     enum report_column column, struct strbuf *out)
{
	(void)report;
	(void)column;
	strbuf_add_str(out, row_has_value(view, side) ? "yes" : "no");
}

static void add_partial(const struct report *report, const struct row_view *view, unsigned side,
                        enum report_column column, struct strbuf *out)
{
	(void)report;
	(void)column;
	strbuf_add_str(out, report_is_partial(view, side) ? "yes" : "no");
}

static void add_missing_inputs(const struct report *report, const struct row_view *view,
                               unsigned side, enum report_column column, struct strbuf *out)
{
	size_t start = out->len;

	(void)report;
	(void)column;
	report_add_missing_inputs(view, side, out);
	if (out->len == start)
		strbuf_add_char(out, '-');
}

/* Returns the divisor to print behind the value of one thread; per thread needs none. */
static enum measure_per per_of_one(const struct row_view *view)
{
	return view->per == PER_second ? PER_second : PER_total;
}

static void add_mean(const struct report *report, const struct row_view *view, unsigned side,
                     enum report_column column, struct strbuf *out)
{
	(void)report;
	(void)column;
	report_add_mean(view, side, out);
}

static void add_error_of(const struct report *report, const struct row_view *view, unsigned side,
                         struct strbuf *out)
{
	struct quantity error = row_error(report->rows, view, side);

	if (row_error_is_notable(error, view->values[side]))
		report_add_amount(view, error, view->per, out);
}

/* Appends nothing if neither side's error is large enough. */
static void add_error(const struct report *report, const struct row_view *view, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf baseline = STRBUF_INIT, candidate = STRBUF_INIT;

	add_error_of(report, view, SIDE_BASELINE, &baseline);
	if (report->rows->sides == SIDE_MAX)
		add_error_of(report, view, SIDE_CANDIDATE, &candidate);
	if (report->rows->sides == 1 || strcmp(strbuf_str(&baseline), strbuf_str(&candidate)) == 0)
		strbuf_add_str(out, strbuf_str(&baseline));
	else
		strbuf_addf(out, "%s→%s", baseline.len > 0 ? strbuf_str(&baseline) : "-",
		            candidate.len > 0 ? strbuf_str(&candidate) : "-");
}

static void add_spread(const struct report *report, const struct row_view *view, unsigned side,
                       enum report_column column, struct strbuf *out)
{
	struct quantity value = report_spread_value(report->rows, view, column, side);

	if (value.kind == QUANTITY_NONE)
		strbuf_add_char(out, '-');
	else if (column == COLUMN_busiest)
		strbuf_addf(out, "%.1f%%", 100 * quantity_double(value));
	else if (column == COLUMN_variation)
		strbuf_addf(out, "%.2f", quantity_double(value));
	else
		report_add_amount(view, value, per_of_one(view), out);
}

/* Appends an id, or the time since boot at which the process started. */
static void add_process_of(const struct report *report, enum report_column column, unsigned side,
                           struct quantity value, struct strbuf *out)
{
	const struct host *host = &report->sides[side].info->host;
	uint64_t ticks_per_second = host->numbers[HOST_clock_ticks_per_second];

	if (value.kind == QUANTITY_NONE ||
	    (column == COLUMN_start &&
	     (!host->seen[HOST_clock_ticks_per_second] || ticks_per_second == 0)))
		strbuf_add_char(out, '-');
	else if (column == COLUMN_start)
		strbuf_addf(out, "%.2fs", quantity_double(value) / (double)ticks_per_second);
	else
		units_format_integer(value.integer, out);
}

/* A process that is on one side only has no other value. */
static void add_process(const struct report *report, const struct row_view *view,
                        enum report_column column, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf other = STRBUF_INIT;
	unsigned first = view->group->sides[SIDE_BASELINE] ? SIDE_BASELINE : SIDE_CANDIDATE;
	size_t start = out->len;

	add_process_of(report, column, first, report_process_value(view, column, first), out);
	if (first == SIDE_CANDIDATE || !view->group->sides[SIDE_CANDIDATE])
		return;
	add_process_of(report, column, SIDE_CANDIDATE,
	               report_process_value(view, column, SIDE_CANDIDATE), &other);
	if (strcmp(strbuf_str(out) + start, strbuf_str(&other)) != 0)
		strbuf_addf(out, "→%s", strbuf_str(&other));
}

static enum table_color add_uptime(const struct report *report, const struct row_view *view,
                                   struct strbuf *out)
{
	unsigned last = report->rows->sides - 1;
	struct quantity uptime = {0};

	if (!row_group_is_exited(view->group))
		uptime = row_uptime(report->rows, view->group, last);
	if (uptime.kind == QUANTITY_NONE) {
		strbuf_add_char(out, '-');
		return COLOR_NONE;
	}
	strbuf_addf(out, "%.0f%%", quantity_double(uptime));
	return table_color_of_share(quantity_double(uptime));
}

/* Every row of a group has the value that the groups are sorted by: "A→B (+1.0%)". */
static enum table_color add_sorted(const struct report *report, const struct row_view *row,
                                   struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf other = STRBUF_INIT;
	size_t start = out->len;
	struct row_view view;

	row_view(report->rows, row->group, report->sorted_by, &view);
	report_add_value(&view, SIDE_BASELINE, out);
	if (report->rows->sides == 1)
		return COLOR_NONE;
	report_add_value(&view, SIDE_CANDIDATE, &other);
	if (strcmp(strbuf_str(out) + start, strbuf_str(&other)) == 0)
		return COLOR_NONE;
	strbuf_addf(out, "→%s", strbuf_str(&other));
	if (view.percent.kind != QUANTITY_NONE)
		strbuf_addf(out, " (%+.1f%%)", quantity_double(view.percent));
	return report_color_of(view.delta);
}

static void add_impact(const struct row_view *view, struct strbuf *out)
{
	if (view->impact.kind == QUANTITY_NONE)
		strbuf_add_char(out, '-');
	else
		strbuf_addf(out, "%.1f%%", 100 * quantity_double(view->impact));
}

static void add_tags(const struct row_view *view, struct strbuf *out)
{
	size_t start = out->len;

	if (!measure_is_derived(view->measure))
		metric_add_tags((enum metric_id)view->measure, out);
	if (out->len == start)
		strbuf_add_char(out, '-');
}

static void add_marks(const struct row_view *view, struct strbuf *out)
{
	size_t start = out->len;

	report_add_marks(view, out);
	if (out->len == start)
		strbuf_add_char(out, '-');
}

/* Appends the columns that name the subject of a row. */
static void add_name(const struct report *report, const struct row_view *view,
                     struct cell_column column, struct strbuf *out)
{
	switch (column.column) {
	case COLUMN_group:
		add_group(report, view, column.key, out);
		break;
	case COLUMN_metric:
		strbuf_add_str(out, measure_name(view->measure));
		break;
	case COLUMN_section:
		strbuf_add_str(out, section_table[measure_section(view->measure)].name);
		break;
	case COLUMN_type:
		strbuf_add_str(out, measure_type(view->measure));
		break;
	case COLUMN_unit:
		strbuf_add_str(out, measure_unit_name(view->measure, view->per));
		break;
	case COLUMN_missing_inputs:
		add_sides(report, view, column.column, add_missing_inputs, out);
		break;
	case COLUMN_marks:
		add_marks(view, out);
		break;
	case COLUMN_comparison:
		strbuf_add_str(out, report_comparison(view->is_interval));
		break;
	default:
		add_tags(view, out);
		break;
	}
}

static enum table_color add_number(const struct report *report, const struct row_view *view,
                                   enum report_column column, struct strbuf *out)
{
	switch (column) {
	case COLUMN_threads:
		add_threads(view, report->rows->sides, out);
		break;
	case COLUMN_ppid:
	case COLUMN_pgrp:
	case COLUMN_session:
	case COLUMN_start:
		add_process(report, view, column, out);
		break;
	case COLUMN_value:
	case COLUMN_baseline:
		report_add_value(view, SIDE_BASELINE, out);
		break;
	case COLUMN_candidate:
		report_add_value(view, SIDE_CANDIDATE, out);
		break;
	case COLUMN_arrow:
		report_add_value(view, SIDE_BASELINE, out);
		strbuf_add_str(out, " → ");
		report_add_value(view, SIDE_CANDIDATE, out);
		break;
	case COLUMN_delta:
		return add_delta(view, out);
	case COLUMN_percent:
		return add_percent(view->percent, out);
	case COLUMN_impact:
		add_impact(view, out);
		break;
	case COLUMN_coverage:
		add_sides(report, view, column, add_coverage, out);
		break;
	case COLUMN_seen:
		add_sides(report, view, column, add_seen, out);
		break;
	case COLUMN_partial:
		add_sides(report, view, column, add_partial, out);
		break;
	case COLUMN_mean:
		add_sides(report, view, column, add_mean, out);
		break;
	case COLUMN_error:
		add_error(report, view, out);
		break;
	case COLUMN_uptime:
		return add_uptime(report, view, out);
	case COLUMN_SORTED:
		return add_sorted(report, view, out);
	default:
		add_sides(report, view, column, add_spread, out);
		break;
	}
	return COLOR_NONE;
}

enum table_color report_add_cell(struct row_context *context, size_t row, struct cell_column column,
                                 struct strbuf *out)
{
	const struct report *report = context->report;
	const struct row_view *view = report_view_of(context, row);

	if (report_cell_is_number(column))
		return add_number(report, view, column.column, out);
	add_name(report, view, column, out);
	return COLOR_NONE;
}
