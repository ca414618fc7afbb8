// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine-value.h"

#include <string.h>

#include "base/text.h"
#include "ctprof/metric/sample.h"
#include "metric/units.h"
#include "report/report-text.h"
#include "json/json-write.h"

void machine_value_done(struct machine_value *value)
{
	strbuf_done(&value->text);
}

static void set_text(struct machine_value *value, const char *text)
{
	value->kind = MACHINE_TEXT;
	strbuf_add_str(&value->text, text);
}

static void set_number(struct machine_value *value, struct quantity number)
{
	value->kind = number.kind == QUANTITY_NONE ? MACHINE_NONE : MACHINE_NUMBER;
	value->number = number;
}

/* A set of CPUs is printed as its list; if the threads differ, as the numbers of their CPUs. */
static void set_affinity(struct machine_value *value, const struct fold_affinity *affinity)
{
	value->kind = MACHINE_TEXT;
	if (affinity->uniform)
		cpu_mask_format(&affinity->first, &value->text);
	else
		strbuf_addf(&value->text, "mixed:%u..%u", affinity->min_cpus, affinity->max_cpus);
}

static void set_range(struct machine_value *value, enum metric_id metric,
                      const struct fold_cell *cell)
{
	int64_t low = fold_range_bound(metric, cell->range.low);
	int64_t high = fold_range_bound(metric, cell->range.high);

	if (low == high) {
		set_number(value, quantity_integer(low));
		return;
	}
	value->kind = MACHINE_TEXT;
	strbuf_addf(&value->text, "%lld..%lld", (long long)low, (long long)high);
}

static void set_value(struct machine_value *value, const struct row_view *view, unsigned side)
{
	const struct fold_cell *cell = view->cells[side];
	uint32_t threads;

	if (!cell || cell->seen == 0) {
		set_number(value, view->values[side]);
		return;
	}
	switch (metric_table[view->measure].rule) {
	case RULE_SUM:
	case RULE_MAX:
	case RULE_MIN:
		set_number(value, view->values[side]);
		break;
	case RULE_RANGE:
		set_range(value, (enum metric_id)view->measure, cell);
		break;
	case RULE_MODE:
		value->kind = MACHINE_TEXT;
		/* A snapshot may hold any label. */
		text_add_escaped(&value->text, fold_winner(cell, &threads),
		                 strlen(fold_winner(cell, &threads)));
		break;
	case RULE_AFFINITY:
		set_affinity(value, cell->affinity);
		break;
	}
}

static void set_delta(struct machine_value *value, const struct row_view *view)
{
	const struct fold_cell *baseline = view->cells[SIDE_BASELINE];
	const struct fold_cell *candidate = view->cells[SIDE_CANDIDATE];
	uint32_t threads;

	if (!measure_is_label(view->measure))
		set_number(value, view->delta);
	else if (baseline && candidate && baseline->seen > 0 && candidate->seen > 0)
		set_text(value, strcmp(fold_winner(baseline, &threads),
		                       fold_winner(candidate, &threads)) == 0
		                        ? "same"
		                        : "differs");
}

static void set_threads(struct machine_value *value, const struct row_view *view, unsigned side)
{
	const struct group *group = view->group->sides[side];

	if (group && !row_group_is_exited(view->group))
		set_number(value, quantity_integer(group->threads));
}

static void set_coverage(struct machine_value *value, const struct row_view *view, unsigned side)
{
	if (!row_group_is_exited(view->group) && view->group->sides[side])
		set_number(value, quantity_integer(view->seen[side]));
}

static void set_flag(struct machine_value *value, bool flag)
{
	value->kind = MACHINE_FLAG;
	value->flag = flag;
}

static void set_group(struct machine_value *value, const struct row_group *group, unsigned key)
{
	const char *text = group->label;

	if (key == MACHINE_RENAMED)
		text = group->renamed;
	else if (key != MACHINE_LABEL)
		text = group->parts[key];
	if (text)
		set_text(value, text);
}

static void set_tags(struct machine_value *value, unsigned measure)
{
	value->kind = MACHINE_TEXT;
	if (!measure_is_derived(measure))
		metric_add_tags((enum metric_id)measure, &value->text);
}

/* Sets the value of a column that has one for each side. */
static void set_side(struct machine_value *value, const struct row_set *set,
                     const struct row_view *view, struct machine_column column)
{
	switch (column.column) {
	case COLUMN_threads:
		set_threads(value, view, column.side);
		break;
	case COLUMN_coverage:
		set_coverage(value, view, column.side);
		break;
	case COLUMN_seen:
		set_flag(value, row_has_value(view, column.side));
		break;
	case COLUMN_partial:
		set_flag(value, report_is_partial(view, column.side));
		break;
	case COLUMN_missing_inputs:
		report_add_missing_inputs(view, column.side, &value->text);
		value->kind = value->text.len > 0 ? MACHINE_TEXT : MACHINE_NONE;
		break;
	case COLUMN_mean:
		set_number(value, view->means[column.side]);
		break;
	case COLUMN_error:
		set_number(value, row_error(set, view, column.side));
		break;
	case COLUMN_uptime:
		if (!row_group_is_exited(view->group))
			set_number(value, row_uptime(set, view->group, column.side));
		break;
	case COLUMN_ppid:
	case COLUMN_pgrp:
	case COLUMN_session:
	case COLUMN_start:
		set_number(value, report_process_value(view, column.column, column.side));
		break;
	default:
		set_number(value, report_spread_value(set, view, column.column, column.side));
		break;
	}
}

void machine_value(const struct row_set *set, const struct row_view *view,
                   struct machine_column column, struct machine_value *ret)
{
	ret->kind = MACHINE_NONE;
	strbuf_clear(&ret->text);
	switch (column.column) {
	case COLUMN_group:
		set_group(ret, view->group, column.key);
		break;
	case COLUMN_metric:
		set_text(ret, measure_name(view->measure));
		break;
	case COLUMN_marks:
		report_add_marks(view, &ret->text);
		ret->kind = ret->text.len > 0 ? MACHINE_TEXT : MACHINE_NONE;
		break;
	case COLUMN_section:
		set_text(ret, section_table[measure_section(view->measure)].name);
		break;
	case COLUMN_type:
		set_text(ret, measure_type(view->measure));
		break;
	case COLUMN_unit:
		set_text(ret, measure_unit_name(view->measure, view->per));
		break;
	case COLUMN_value:
	case COLUMN_baseline:
		set_value(ret, view, SIDE_BASELINE);
		break;
	case COLUMN_candidate:
		set_value(ret, view, SIDE_CANDIDATE);
		break;
	case COLUMN_delta:
		set_delta(ret, view);
		break;
	case COLUMN_percent:
		set_number(ret, view->percent);
		break;
	case COLUMN_impact:
		set_number(ret, view->impact);
		break;
	case COLUMN_tags:
		set_tags(ret, view->measure);
		break;
	case COLUMN_comparison:
		set_text(ret, report_comparison(view->is_interval));
		break;
	default:
		set_side(ret, set, view, column);
		break;
	}
}

static void set_fact(struct machine_value *value, const struct fact_cell *cell)
{
	if (cell->state == FACT_UNLIMITED) {
		set_text(value, "max");
	} else if (cell->state == FACT_TEXT) {
		value->kind = MACHINE_TEXT;
		text_add_escaped(&value->text, cell->text, strlen(cell->text));
	} else {
		set_number(value, cell->number);
	}
}

static void set_fact_delta(struct machine_value *value, const struct fact_row *row)
{
	if (row->sides[SIDE_BASELINE].state == FACT_TEXT &&
	    row->sides[SIDE_CANDIDATE].state == FACT_TEXT)
		set_text(value, row->changed ? "differs" : "same");
	else
		set_number(value, row->delta);
}

void machine_fact_value(const struct fact_row *row, struct machine_column column,
                        struct machine_value *ret)
{
	ret->kind = MACHINE_NONE;
	strbuf_clear(&ret->text);
	switch (column.column) {
	case COLUMN_group:
		/* With several keys, a row that is not about threads has no names of them. */
		if (column.key == MACHINE_LABEL)
			set_text(ret, row->group);
		break;
	case COLUMN_metric:
		set_text(ret, row->metric);
		break;
	case COLUMN_section:
		set_text(ret, section_table[row->section].name);
		break;
	case COLUMN_unit:
		set_text(ret, unit_name_per(row->unit, row->per));
		break;
	case COLUMN_value:
	case COLUMN_baseline:
		set_fact(ret, &row->sides[SIDE_BASELINE]);
		break;
	case COLUMN_candidate:
		set_fact(ret, &row->sides[SIDE_CANDIDATE]);
		break;
	case COLUMN_delta:
		set_fact_delta(ret, row);
		break;
	case COLUMN_percent:
		set_number(ret, row->percent);
		break;
	case COLUMN_seen:
		set_flag(ret, row->sides[column.side].state != FACT_UNSEEN);
		break;
	case COLUMN_partial:
		set_flag(ret, fact_row_is_partial(row, column.side));
		break;
	case COLUMN_comparison:
		set_text(ret, report_comparison(false));
		break;
	case COLUMN_marks:
		if (row->went_back || row->remade)
			set_text(ret, row->remade ? "remade" : "went_back");
		else if (row->delta.kind != QUANTITY_NONE &&
		         (fact_row_is_partial(row, SIDE_BASELINE) ||
		          fact_row_is_partial(row, SIDE_CANDIDATE)))
			set_text(ret, "partial_delta");
		break;
	default:
		break;
	}
}

void machine_add_number(struct quantity number, struct strbuf *out)
{
	struct json_writer writer = JSON_WRITER_INIT(out);

	if (number.kind == QUANTITY_INTEGER)
		units_format_integer(number.integer, out);
	else
		json_write_double(&writer, number.real);
}
