// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "ctprof/report.h"
#include "ctprof/sample.h"
#include "ctprof/text.h"
#include "ctprof/units.h"
#include "report-parts.h"

enum { MUCH_PERCENT = 50 };

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
	strbuf_add_str(out, " cpus (");
	if (affinity->uniform)
		cpu_mask_format(&affinity->first, out);
	else
		strbuf_add_str(out, "mixed");
	strbuf_add_char(out, ')');
}

static void add_cell(const struct row_view *view, unsigned side, struct strbuf *out)
{
	const struct fold_cell *cell = view->cells[side];
	enum metric_id metric = (enum metric_id)view->measure;

	switch (metric_table[metric].rule) {
	case RULE_SUM:
	case RULE_MAX:
	case RULE_MIN:
		units_format(measure_unit(view->measure), view->values[side], false, out);
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
	return !view->group->exited && view->seen[side] > 0 &&
	       (view->seen[side] < view->expected[side] || view->exited_left_out);
}

void report_add_value(const struct row_view *view, unsigned side, struct strbuf *out)
{
	const struct fold_cell *cell = view->cells[side];

	if (cell ? cell->seen == 0 : view->values[side].kind == QUANTITY_NONE) {
		strbuf_add_char(out, '-');
		return;
	}
	if (cell)
		add_cell(view, side, out);
	else
		units_format(measure_unit(view->measure), view->values[side], true, out);
	/* A value that not every thread contributed to must not pass for one that all did. */
	if (report_is_partial(view, side))
		strbuf_add_char(out, '*');
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
	size_t rows = report->rows->row_count;

	if (report->without_rows)
		return 0;
	return report->limit > 0 && rows > report->limit ? report->limit : rows;
}

size_t report_left_out(const struct report *report)
{
	return report->without_rows ? 0 : report->rows->row_count - report_shown(report);
}

void report_add_left_out(const struct report *report, struct strbuf *out)
{
	const struct row_set *set = report->rows;
	size_t left_out = report_left_out(report);
	const char *separator = "";

	if (left_out > 0) {
		strbuf_addf(out, "%zu more row%s (--limit 0 shows all)", left_out,
		            left_out == 1 ? "" : "s");
		separator = "; ";
	}
	if (set->unchanged_count > 0) {
		strbuf_addf(out, "%s%zu unchanged", separator, set->unchanged_count);
		separator = ", ";
	}
	if (set->unseen_count > 0)
		strbuf_addf(out, "%s%zu seen on neither side", separator, set->unseen_count);
	if (set->unchanged_count + set->unseen_count > 0)
		strbuf_add_str(out, " (--unchanged shows them)");
}
