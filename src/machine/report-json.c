// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/text.h"
#include "json-output.h"
#include "machine-value.h"
#include "machine/report-machine.h"
#include "report/report-text.h"
#include "report/report.h"
#include "json/json-write.h"

static void write_value(struct json_output *out)
{
	switch (out->value.kind) {
	case MACHINE_NONE:
		json_write_null(&out->writer);
		break;
	case MACHINE_NUMBER:
		strbuf_clear(&out->scratch);
		machine_add_number(out->value.number, &out->scratch);
		json_write_raw(&out->writer, strbuf_str(&out->scratch), out->scratch.len);
		break;
	case MACHINE_FLAG:
		json_write_bool(&out->writer, out->value.flag);
		break;
	case MACHINE_TEXT:
		json_write_text(&out->writer, strbuf_str(&out->value.text), out->value.text.len);
		break;
	}
}

/* Either @view or @fact is NULL. */
static void write_row(struct json_output *out, const struct report *report,
                      const struct row_view *view, const struct fact_row *fact)
{
	json_write_open(&out->writer, '{');
	for (unsigned c = 0; c < out->columns.count; c++) {
		json_write_key(&out->writer, out->columns.names[c]);
		if (view)
			machine_value(report->rows, view, out->columns.columns[c], &out->value);
		else
			machine_fact_value(fact, out->columns.columns[c], &out->value);
		write_value(out);
	}
	json_write_close(&out->writer, '}');
}

static void write_unmatched(struct json_output *out, const char *name, const struct row_set *set,
                            unsigned side)
{
	json_write_key(&out->writer, name);
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < set->unmatched_count[side]; i++) {
		const struct row_group *group = &set->unmatched[side][i];
		const struct group *here = group->sides[side];
		struct fold_cell run_time = group_number(here, METRIC_run_time_ns);

		json_write_open(&out->writer, '{');
		json_write_key(&out->writer, "group");
		json_write_str(&out->writer, group->label);
		json_write_key(&out->writer, "threads");
		if (here->threads > 0)
			json_write_u64(&out->writer, here->threads);
		else
			json_write_null(&out->writer);
		json_write_key(&out->writer, "run_time_ns");
		if (run_time.seen > 0)
			json_write_u64(&out->writer, fold_number_capped(run_time.number));
		else
			json_write_null(&out->writer);
		json_write_close(&out->writer, '}');
		json_output_flush(out, JSON_OUTPUT_BYTES);
	}
	json_write_close(&out->writer, ']');
}

/* Writes rows one behind the other; in NDJSON each on a line of its own. */
static void write_rows(struct json_output *out, const struct report *report, bool lines)
{
	struct fact_cursor fact_cursor = {0};
	struct row_cursor cursor = {0};
	const struct fact_row *fact = NULL;
	struct row_view view;
	bool more = true;

	machine_columns_of(report, &out->columns);
	while (!ferror(out->file)) {
		more = more && report_next_row(report, &cursor, &view);
		if (!more && !(fact = report_next_fact(report, &fact_cursor)))
			break;
		if (lines)
			out->writer = JSON_WRITER_INIT(&out->buffer);
		write_row(out, report, more ? &view : NULL, fact);
		if (lines)
			strbuf_add_char(&out->buffer, '\n');
		json_output_flush(out, JSON_OUTPUT_BYTES);
	}
}

/* Writes the keys as --group-by accepts them. */
static void write_group_by(struct json_output *out, const struct group_by *by)
{
	strbuf_clear(&out->scratch);
	if (by->tree)
		strbuf_add_str(&out->scratch, by->tree->name);
	for (unsigned i = 0; !by->tree && i < by->count; i++) {
		strbuf_add_str(&out->scratch, i > 0 ? "," : "");
		group_by_add_name(by, i, &out->scratch);
	}
	json_write_text(&out->writer, strbuf_str(&out->scratch), out->scratch.len);
}

static void write_renames(struct json_output *out, const struct row_set *set)
{
	json_write_key(&out->writer, "renamed");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < set->rename_count; i++) {
		const struct row_rename *rename = &set->renames[i];

		json_write_open(&out->writer, '{');
		json_write_key(&out->writer, "baseline");
		json_write_str(&out->writer, rename->labels[SIDE_BASELINE]);
		json_write_key(&out->writer, "candidate");
		json_write_str(&out->writer, rename->labels[SIDE_CANDIDATE]);
		json_write_key(&out->writer, "types_baseline");
		json_write_u64(&out->writer, rename->types[SIDE_BASELINE]);
		json_write_key(&out->writer, "types_candidate");
		json_write_u64(&out->writer, rename->types[SIDE_CANDIDATE]);
		json_write_key(&out->writer, "overlap");
		json_write_u64(&out->writer, rename->overlap);
		json_write_key(&out->writer, "cascaded");
		json_write_u64(&out->writer, rename->cascaded);
		json_write_close(&out->writer, '}');
		json_output_flush(out, JSON_OUTPUT_BYTES);
	}
	json_write_close(&out->writer, ']');
}

static void write_left_out(struct json_output *out, const struct report *report)
{
	json_write_key(&out->writer, "left_out");
	json_write_open(&out->writer, '{');
	json_write_key(&out->writer, "limit");
	json_write_u64(&out->writer, report_left_out(report) + report_facts_left_out(report));
	json_write_key(&out->writer, "unchanged");
	json_write_u64(&out->writer, report->rows->unchanged_count);
	json_write_key(&out->writer, "unseen");
	json_write_u64(&out->writer, report->rows->unseen_count);
	json_write_key(&out->writer, "filtered");
	json_write_u64(&out->writer, report->rows->filtered_count);
	json_write_key(&out->writer, "groups");
	json_write_u64(&out->writer, report->rows->groups_left_out);
	json_write_close(&out->writer, '}');
}

static void write_overlap(struct json_output *out, const struct report *report)
{
	uint64_t overlap_ns;
	bool same;

	if (report->sides[SIDE_BASELINE].info->kind != KIND_window)
		return;
	json_write_key(&out->writer, "windows_overlap_ns");
	if (report_windows_overlap(report, &overlap_ns, &same))
		json_write_u64(&out->writer, overlap_ns);
	else
		json_write_null(&out->writer);
}

static void finish(struct json_output *out)
{
	json_output_flush(out, 0);
	strbuf_done(&out->buffer);
	strbuf_done(&out->scratch);
	machine_value_done(&out->value);
}

void report_json(FILE *file, const struct report *report)
{
	const struct row_set *set = report->rows;
	struct json_output out = {.file = file};

	out.writer = JSON_WRITER_INIT(&out.buffer);
	json_write_open(&out.writer, '{');
	json_write_key(&out.writer, "ctprof");
	json_write_str(&out.writer, CTPROF_VERSION);
	json_write_key(&out.writer, "group_by");
	write_group_by(&out, &set->by);
	json_write_key(&out.writer, "per");
	json_write_str(&out.writer, measure_per_table[set->per].name);
	json_write_key(&out.writer, "explains");
	if (report->explains)
		json_output_text(&out, report->explains);
	else
		json_write_null(&out.writer);
	if (report->explains) {
		json_write_key(&out.writer, "explains_by");
		write_group_by(&out, &report->explains_by);
	}
	if (set->sides == 1) {
		json_output_side(&out, "snapshot", &report->sides[0]);
	} else {
		json_output_side(&out, "baseline", &report->sides[SIDE_BASELINE]);
		json_output_side(&out, "candidate", &report->sides[SIDE_CANDIDATE]);
		json_write_key(&out.writer, "comparison");
		json_write_str(&out.writer, report_comparison(report->interval));
		json_output_between(&out, report->interval);
		write_overlap(&out, report);
		json_output_differs(&out, report);
	}
	json_write_key(&out.writer, "rows");
	json_write_open(&out.writer, '[');
	write_rows(&out, report, false);
	json_write_close(&out.writer, ']');
	if (set->sides == SIDE_MAX) {
		write_renames(&out, set);
		write_unmatched(&out, "only_in_baseline", set, SIDE_BASELINE);
		write_unmatched(&out, "only_in_candidate", set, SIDE_CANDIDATE);
	}
	write_left_out(&out, report);
	json_write_close(&out.writer, '}');
	strbuf_add_char(&out.buffer, '\n');
	finish(&out);
}

void report_ndjson(FILE *file, const struct report *report)
{
	struct json_output out = {.file = file};

	write_rows(&out, report, true);
	finish(&out);
}
