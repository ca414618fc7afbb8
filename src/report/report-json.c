// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "ctprof/json-write.h"
#include "ctprof/report.h"
#include "ctprof/text.h"
#include "machine-value.h"

/* Rows are written one at a time: there may be millions. */
enum { FLUSH_BYTES = 64 << 10 };

struct json_output {
	FILE *file;
	struct strbuf buffer;
	struct json_writer writer;
	struct machine_value value;
	struct strbuf scratch;
};

static void flush(struct json_output *out, size_t at_least)
{
	if (out->buffer.len <= at_least)
		return;
	fwrite(out->buffer.data, 1, out->buffer.len, out->file);
	strbuf_clear(&out->buffer);
}

static void write_valid_text(struct json_output *out, const char *text)
{
	strbuf_clear(&out->scratch);
	text_add_replaced(&out->scratch, text, strlen(text));
	json_write_text(&out->writer, strbuf_str(&out->scratch), out->scratch.len);
}

static void write_host(struct json_output *out, const struct host *host)
{
	json_write_key(&out->writer, "host");
	json_write_open(&out->writer, '{');
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		if (!host->seen[i])
			continue;
		json_write_key(&out->writer, host_field_table[i].name);
		if (host_field_table[i].is_number)
			json_write_u64(&out->writer, host->numbers[i]);
		else
			write_valid_text(out, host->texts[i]);
	}
	json_write_close(&out->writer, '}');
}

/* A number of which 0 means that the snapshot does not have it. */
static void write_known(struct json_output *out, const char *key, uint64_t number)
{
	json_write_key(&out->writer, key);
	if (number > 0)
		json_write_u64(&out->writer, number);
	else
		json_write_null(&out->writer);
}

static void write_side(struct json_output *out, const char *name, const struct report_side *side)
{
	json_write_key(&out->writer, name);
	json_write_open(&out->writer, '{');
	json_write_key(&out->writer, "path");
	write_valid_text(out, side->path);
	write_known(out, "captured_at_unix_ns", side->info->captured_at_unix_ns);
	write_known(out, "captured_boottime_ns", side->info->captured_boottime_ns);
	json_write_key(&out->writer, "threads");
	json_write_u64(&out->writer, side->info->tally.threads);
	write_known(out, "processes", side->info->tally.processes);
	write_host(out, &side->info->host);
	json_write_close(&out->writer, '}');
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

static void write_row(struct json_output *out, const struct row_set *set, const struct row *row)
{
	struct row_view view;

	row_view(set, &set->groups[row->group], row->measure, &view);
	json_write_open(&out->writer, '{');
	for (unsigned c = 0; c < MACHINE_COLUMN_COUNT; c++) {
		const char *name = machine_column_name((enum machine_column)c, set->sides);

		if (!name)
			continue;
		json_write_key(&out->writer, name);
		machine_value(&view, (enum machine_column)c, &out->value);
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

static void write_left_out(struct json_output *out, const struct report *report)
{
	json_write_key(&out->writer, "left_out");
	json_write_open(&out->writer, '{');
	json_write_key(&out->writer, "limit");
	json_write_u64(&out->writer, report_left_out(report));
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
		write_side(&out, "snapshot", &report->sides[0]);
	} else {
		write_side(&out, "baseline", &report->sides[SIDE_BASELINE]);
		write_side(&out, "candidate", &report->sides[SIDE_CANDIDATE]);
	}
	json_write_key(&out.writer, "rows");
	json_write_open(&out.writer, '[');
	for (size_t i = 0; i < report_shown(report) && !ferror(file); i++) {
		write_row(&out, set, &set->rows[i]);
		flush(&out, FLUSH_BYTES);
	}
	json_write_close(&out.writer, ']');
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
