// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "ctprof/metric/sample.h"
#include "metric/units.h"
#include "report/report-text.h"
#include "report/report.h"

enum { MUCH_PERCENT = 50 };

const char report_members_mark[] = "†";
const char report_went_back_mark[] = "‡";
const char report_remade_mark[] = "¤";
const char report_measured_mark[] = "¶";
const char report_impossible_mark[] = "‖";
const char report_began_before_mark[] = "§";

static void add_range(enum metric_id metric, const struct fold_cell *cell, struct strbuf *out)
{
	int64_t low = fold_range_bound(metric, cell->range.low);
	int64_t high = fold_range_bound(metric, cell->range.high);

	strbuf_addf(out, "%lld", (long long)low);
	if (high != low)
		strbuf_addf(out, "..%lld", (long long)high);
}

static void add_mode(const struct fold_cell *cell, struct strbuf *out)
{
	uint32_t threads;
	const char *winner = fold_winner(cell, &threads);

	/* A snapshot may hold any label. */
	text_add_escaped(out, winner, strlen(winner));
	if (threads != cell->seen)
		strbuf_addf(out, " (%u/%u)", threads, cell->seen);
}

static void add_affinity(const struct fold_affinity *affinity, struct strbuf *out)
{
	strbuf_addf(out, "%u", affinity->min_cpus);
	if (affinity->max_cpus != affinity->min_cpus)
		strbuf_addf(out, "-%u", affinity->max_cpus);
	strbuf_add_str(out, affinity->max_cpus == 1 ? " cpu (" : " cpus (");
	if (affinity->uniform)
		cpu_mask_format(&affinity->first, out);
	else
		strbuf_add_str(out, "mixed");
	strbuf_add_char(out, ')');
}

/* Appends the divisor of a value. */
static void add_per(struct quantity value, enum measure_per per, struct strbuf *out)
{
	if (value.kind != QUANTITY_NONE)
		strbuf_add_str(out, measure_per_table[per].suffix);
}

/* The unit that a table shows: clock ticks are time, as far as their length is known. */
static enum metric_unit shown_unit(const struct row_view *view, struct quantity *value)
{
	return units_ticks_as_time(measure_unit(view->measure), view->clock_ticks_per_second,
	                           value);
}

void report_add_amount(const struct row_view *view, struct quantity value, enum measure_per per,
                       struct strbuf *out)
{
	enum metric_unit unit = shown_unit(view, &value);

	units_format(unit, value, measure_is_derived(view->measure), out);
	add_per(value, per, out);
}

void report_add_mean(const struct row_view *view, unsigned side, struct strbuf *out)
{
	struct quantity mean = view->means[side];
	enum metric_unit unit = shown_unit(view, &mean);

	units_format(unit, mean, true, out);
	/* Per thread needs no divisor. */
	add_per(mean, view->per == PER_second ? PER_second : PER_total, out);
}

void report_add_difference(const struct row_view *view, struct strbuf *out)
{
	struct quantity delta = view->delta;
	enum metric_unit unit = shown_unit(view, &delta);

	units_format_delta(unit, delta, measure_is_derived(view->measure), out);
	add_per(delta, view->per, out);
}

static void add_cell(const struct row_view *view, unsigned side, struct strbuf *out)
{
	const struct fold_cell *cell = view->cells[side];
	enum metric_id metric = (enum metric_id)view->measure;

	switch (metric_table[metric].rule) {
	case RULE_SUM:
	case RULE_MAX:
	case RULE_MIN:
		report_add_amount(view, view->values[side], view->per, out);
		break;
	case RULE_RANGE:
		add_range(metric, cell, out);
		break;
	case RULE_MODE:
		add_mode(cell, out);
		break;
	case RULE_AFFINITY:
		add_affinity(cell->affinity, out);
		break;
	}
}

bool report_is_partial(const struct row_view *view, unsigned side)
{
	if (!metric_set_is_empty(&view->missing_inputs[side]) ||
	    view->absence[side] == ABSENCE_PARTIAL)
		return true;
	if (view->group->exited || !row_has_value(view, side))
		return false;
	return view->exited_left_out ||
	       (view->seen[side] > 0 && view->seen[side] < view->expected[side]);
}

void report_add_value(const struct row_view *view, unsigned side, struct strbuf *out)
{
	const struct fold_cell *cell = view->cells[side];

	if (!row_has_value(view, side)) {
		strbuf_add_char(out, '-');
		return;
	}
	if (cell)
		add_cell(view, side, out);
	else
		report_add_amount(view, view->values[side], view->per, out);
	/* A value that not every thread contributed to has a mark. */
	if (report_is_partial(view, side))
		strbuf_add_char(out, '*');
	if (view->began_before[side] > 0)
		strbuf_add_str(out, report_began_before_mark);
}

enum table_color report_color_of(struct quantity quantity)
{
	double number = quantity_double(quantity);

	if (quantity.kind == QUANTITY_NONE || !(fabs(number) > 0))
		return COLOR_NONE;
	return number > 0 ? COLOR_MORE : COLOR_LESS;
}

enum table_color report_color_of_percent(struct quantity percent)
{
	enum table_color color = report_color_of(percent);

	if (color == COLOR_NONE || fabs(quantity_double(percent)) <= MUCH_PERCENT)
		return color;
	return color == COLOR_MORE ? COLOR_MUCH_MORE : COLOR_MUCH_LESS;
}

size_t report_shown(const struct report *report)
{
	return report->without_rows ? 0 : report->rows->row_count;
}

size_t report_left_out(const struct report *report)
{
	return report->without_rows ? 0 : report->rows->row_total - report->rows->row_count;
}

bool report_next_row(const struct report *report, struct row_cursor *cursor, struct row_view *ret)
{
	return !report->without_rows && row_next(report->rows, cursor, ret);
}

static void add_separator(struct strbuf *out, size_t start, const char *separator)
{
	if (out->len > start)
		strbuf_add_str(out, separator);
}

void report_add_left_out(const struct report *report, struct strbuf *out)
{
	const struct row_set *set = report->rows;
	size_t left_out = report_left_out(report), start = out->len;

	if (left_out > 0)
		strbuf_addf(out, "%zu more row%s (--limit 0 shows all)", left_out,
		            left_out == 1 ? "" : "s");
	if (set->groups_left_out > 0) {
		add_separator(out, start, "; ");
		strbuf_addf(out, "%zu more group%s (--top 0 shows all)", set->groups_left_out,
		            set->groups_left_out == 1 ? "" : "s");
	}
	if (set->filtered_count > 0) {
		add_separator(out, start, "; ");
		strbuf_addf(out, "%zu filtered out", set->filtered_count);
	}
	if (set->said_count > 0) {
		add_separator(out, start, "; ");
		strbuf_addf(out, "%zu repeat%s others (--all-metrics shows %s)", set->said_count,
		            set->said_count == 1 ? "s" : "", set->said_count == 1 ? "it" : "them");
	}
	if (set->unchanged_count + set->unseen_count == 0)
		return;
	add_separator(out, start, "; ");
	if (set->unchanged_count > 0)
		strbuf_addf(out, "%zu unchanged", set->unchanged_count);
	if (set->unseen_count > 0)
		strbuf_addf(out, "%s%zu seen on neither side", set->unchanged_count > 0 ? ", " : "",
		            set->unseen_count);
	strbuf_add_str(out, " (--unchanged shows them)");
}

struct quantity report_process_value(const struct row_view *view, enum report_column column,
                                     unsigned side)
{
	const struct group *group = view->group->sides[side];
	const struct process_ids *ids;
	bool is_known;

	if (row_group_is_exited(view->group) || !group || group->several_processes ||
	    !group->process.is_known)
		return (struct quantity){0};
	ids = &group->process;
	is_known = column == COLUMN_start  ? ids->start_clock_ticks != PROCESS_START_UNKNOWN
	           : column == COLUMN_ppid ? ids->has_parent
	                                   : ids->has_session;
	if (!is_known)
		return (struct quantity){0};
	return quantity_integer(column == COLUMN_start  ? ids->start_clock_ticks
	                        : column == COLUMN_ppid ? ids->ppid
	                        : column == COLUMN_pgrp ? ids->pgrp
	                                                : ids->session);
}

struct quantity report_spread_value(const struct row_set *set, const struct row_view *view,
                                    enum report_column column, unsigned side)
{
	struct spread *spread = row_spread(set, view->group, view->measure, side);
	struct spread_summary summary;

	if (!spread)
		return (struct quantity){0};
	spread_summarise(spread, &summary);
	switch (column) {
	case COLUMN_p50:
		return row_in_common_ticks(set, side, view->measure, summary.p50);
	case COLUMN_p90:
		return row_in_common_ticks(set, side, view->measure, summary.p90);
	case COLUMN_p99:
		return row_in_common_ticks(set, side, view->measure, summary.p99);
	case COLUMN_max:
		return row_in_common_ticks(set, side, view->measure, summary.max);
	case COLUMN_busiest:
		if (row_has_waits_before(view, side))
			return (struct quantity){0};
		return summary.busiest_share;
	case COLUMN_variation:
		return summary.variation;
	default:
		return (struct quantity){0};
	}
}

const char *report_comparison(bool is_interval)
{
	return is_interval ? "interval" : "before-after";
}

void report_add_marks(const struct row_view *view, struct strbuf *out)
{
	const struct {
		bool holds;
		const char *word;
	} marks[] = {
	        {view->began_before[SIDE_BASELINE] > 0 || view->began_before[SIDE_CANDIDATE] > 0 ||
	                 view->delta_began_before,
	         "began_before"},
	        {view->went_back, "went_back"},
	        {view->measured_differently, "measured_differently"},
	        {view->impossible_differs, "impossible_differs"},
	        {view->is_interval, "interval"},
	        {view->delta_partial, "partial_delta"},
	        {view->is_new, "new"},
	        {view->is_gone, "gone"},
	};
	size_t start = out->len;

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (marks[i].holds)
			strbuf_addf(out, "%s%s", out->len > start ? " " : "", marks[i].word);
}

void report_add_missing_inputs(const struct row_view *view, unsigned side, struct strbuf *out)
{
	size_t start = out->len;

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_set_has(&view->missing_inputs[side], (enum metric_id)i))
			strbuf_addf(out, "%s%s", out->len > start ? " " : "", metric_table[i].name);
}
