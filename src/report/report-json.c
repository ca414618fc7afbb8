// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/json-write.h"
#include "ctprof/report.h"
#include "json-output.h"
#include "machine-value.h"
#include "report-parts.h"

/* Rows are written one at a time: there may be millions. */
enum { FLUSH_BYTES = 64 << 10 };

static void flush(struct json_output *out, size_t at_least)
{
	if (out->buffer.len <= at_least)
		return;
	fwrite(out->buffer.data, 1, out->buffer.len, out->file);
	strbuf_clear(&out->buffer);
}

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
	case MACHINE_TEXT:
		json_write_text(&out->writer, strbuf_str(&out->value.text), out->value.text.len);
		break;
	}
}

/* One of @view and @fact is NULL. */
static void write_row(struct json_output *out, unsigned sides, const struct row_view *view,
                      const struct fact_row *fact)
{
	json_write_open(&out->writer, '{');
	for (unsigned c = 0; c < MACHINE_COLUMN_COUNT; c++) {
		enum machine_column column = (enum machine_column)c;
		const char *name = machine_column_name(column, sides);

		if (!name)
			continue;
		json_write_key(&out->writer, name);
		if (view)
			machine_value(view, column, &out->value);
		else
			machine_fact_value(fact, column, &out->value);
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

		json_write_open(&out->writer, '{');
		json_write_key(&out->writer, "group");
		json_write_str(&out->writer, group->label);
		json_write_key(&out->writer, "threads");
		json_write_u64(&out->writer, here->threads);
		json_write_key(&out->writer, "run_time_ns");
		if (here->cells[METRIC_run_time_ns].seen > 0)
			json_write_u64(&out->writer, here->cells[METRIC_run_time_ns].number);
		else
			json_write_null(&out->writer);
		json_write_close(&out->writer, '}');
		flush(out, FLUSH_BYTES);
	}
	json_write_close(&out->writer, ']');
}

static void write_rows(struct json_output *out, const struct report *report)
{
	const struct row_set *set = report->rows;
	struct fact_cursor cursor = {0};
	const struct fact_row *fact;

	json_write_key(&out->writer, "rows");
	json_write_open(&out->writer, '[');
	for (size_t i = 0; i < report_shown(report) && !ferror(out->file); i++) {
		struct row_view view;

		row_view(set, &set->groups[set->rows[i].group], set->rows[i].measure, &view);
		write_row(out, set->sides, &view, NULL);
		flush(out, FLUSH_BYTES);
	}
	while (!ferror(out->file) && (fact = report_next_fact(report, &cursor))) {
		write_row(out, set->sides, NULL, fact);
		flush(out, FLUSH_BYTES);
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
	json_write_close(&out->writer, '}');
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
	json_write_str(&out.writer, group_key_table[report->group_key].name);
	if (set->sides == 1) {
		json_output_side(&out, "snapshot", &report->sides[0]);
	} else {
		json_output_side(&out, "baseline", &report->sides[SIDE_BASELINE]);
		json_output_side(&out, "candidate", &report->sides[SIDE_CANDIDATE]);
		json_output_differs(&out, report);
	}
	write_rows(&out, report);
	if (set->sides == SIDE_MAX) {
		write_unmatched(&out, "only_in_baseline", set, SIDE_BASELINE);
		write_unmatched(&out, "only_in_candidate", set, SIDE_CANDIDATE);
	}
	write_left_out(&out, report);
	json_write_close(&out.writer, '}');
	strbuf_add_char(&out.buffer, '\n');
	flush(&out, 0);
	strbuf_done(&out.buffer);
	strbuf_done(&out.scratch);
	machine_value_done(&out.value);
}
