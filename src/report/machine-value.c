// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine-value.h"

#include <string.h>

#include "ctprof/json-write.h"
#include "ctprof/sample.h"
#include "ctprof/text.h"
#include "ctprof/units.h"

void machine_value_done(struct machine_value *value)
{
	strbuf_done(&value->text);
}

const char *machine_column_name(enum machine_column column, unsigned sides)
{
	static const char *const names[MACHINE_COLUMN_COUNT][SIDE_MAX] = {
	        [MACHINE_GROUP] = {"group", "group"},
	        [MACHINE_THREADS_BASELINE] = {"threads", "threads_baseline"},
	        [MACHINE_THREADS_CANDIDATE] = {NULL, "threads_candidate"},
	        [MACHINE_METRIC] = {"metric", "metric"},
	        [MACHINE_SECTION] = {"section", "section"},
	        [MACHINE_UNIT] = {"unit", "unit"},
	        [MACHINE_BASELINE] = {"value", "baseline"},
	        [MACHINE_CANDIDATE] = {NULL, "candidate"},
	        [MACHINE_DELTA] = {NULL, "delta"},
	        [MACHINE_PERCENT] = {NULL, "percent"},
	        [MACHINE_IMPACT] = {"impact", "impact"},
	        [MACHINE_COVERAGE_BASELINE] = {"coverage", "coverage_baseline"},
	        [MACHINE_COVERAGE_CANDIDATE] = {NULL, "coverage_candidate"},
	};

	return names[column][sides - 1];
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

/* A set of CPUs is its list; where the threads differ, the numbers of CPUs they have. */
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
	else if (baseline->seen > 0 && candidate->seen > 0)
		set_text(value, strcmp(fold_winner(baseline, &threads),
		                       fold_winner(candidate, &threads)) == 0
		                        ? "same"
		                        : "differs");
}

static void set_threads(struct machine_value *value, const struct row_view *view, unsigned side)
{
	const struct group *group = view->group->sides[side];

	if (group && !view->group->exited)
		set_number(value, quantity_integer(group->threads));
}

static void set_coverage(struct machine_value *value, const struct row_view *view, unsigned side)
{
	if (!view->group->exited)
		set_number(value, quantity_integer(view->seen[side]));
}

void machine_value(const struct row_view *view, enum machine_column column,
                   struct machine_value *ret)
{
	ret->kind = MACHINE_NONE;
	strbuf_clear(&ret->text);
	switch (column) {
	case MACHINE_GROUP:
		set_text(ret, view->group->label);
		break;
	case MACHINE_THREADS_BASELINE:
		set_threads(ret, view, SIDE_BASELINE);
		break;
	case MACHINE_THREADS_CANDIDATE:
		set_threads(ret, view, SIDE_CANDIDATE);
		break;
	case MACHINE_METRIC:
		set_text(ret, measure_name(view->measure));
		break;
	case MACHINE_SECTION:
		set_text(ret, section_table[measure_section(view->measure)].name);
		break;
	case MACHINE_UNIT:
		set_text(ret, unit_table[measure_unit(view->measure)].name);
		break;
	case MACHINE_BASELINE:
		set_value(ret, view, SIDE_BASELINE);
		break;
	case MACHINE_CANDIDATE:
		set_value(ret, view, SIDE_CANDIDATE);
		break;
	case MACHINE_DELTA:
		set_delta(ret, view);
		break;
	case MACHINE_PERCENT:
		set_number(ret, view->percent);
		break;
	case MACHINE_IMPACT:
		set_number(ret, view->impact);
		break;
	case MACHINE_COVERAGE_BASELINE:
		set_coverage(ret, view, SIDE_BASELINE);
		break;
	case MACHINE_COVERAGE_CANDIDATE:
		set_coverage(ret, view, SIDE_CANDIDATE);
		break;
	case MACHINE_COLUMN_COUNT:
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

void machine_fact_value(const struct fact_row *row, enum machine_column column,
                        struct machine_value *ret)
{
	ret->kind = MACHINE_NONE;
	strbuf_clear(&ret->text);
	switch (column) {
	case MACHINE_GROUP:
		set_text(ret, row->group);
		break;
	case MACHINE_METRIC:
		set_text(ret, row->metric);
		break;
	case MACHINE_SECTION:
		set_text(ret, section_table[row->section].name);
		break;
	case MACHINE_UNIT:
		set_text(ret, unit_table[row->unit].name);
		break;
	case MACHINE_BASELINE:
		set_fact(ret, &row->sides[SIDE_BASELINE]);
		break;
	case MACHINE_CANDIDATE:
		set_fact(ret, &row->sides[SIDE_CANDIDATE]);
		break;
	case MACHINE_DELTA:
		set_fact_delta(ret, row);
		break;
	case MACHINE_PERCENT:
		set_number(ret, row->percent);
		break;
	case MACHINE_THREADS_BASELINE:
	case MACHINE_THREADS_CANDIDATE:
	case MACHINE_IMPACT:
	case MACHINE_COVERAGE_BASELINE:
	case MACHINE_COVERAGE_CANDIDATE:
	case MACHINE_COLUMN_COUNT:
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
