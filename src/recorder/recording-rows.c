// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording-rows.h"

#include <string.h>

#include "base/csv-text.h"
#include "base/text.h"
#include "json/json-write.h"

/* The numbers of a row before the amounts. */
enum {
	NUMBER_begin_unix_ns,
	NUMBER_end_unix_ns,
	NUMBER_windows,
	NUMBER_length_ns,
	NUMBER_gaps,
	NUMBER_gap_ns,
	NUMBER_bytes,
	NUMBER_COUNT
};

static const char *const number_names[NUMBER_COUNT] = {
        "begin_unix_ns", "end_unix_ns", "windows", "length_ns", "gaps", "gap_ns", "bytes"};

enum { CELL_COUNT = NUMBER_COUNT + (int)RECORDING_AMOUNT_COUNT };

struct row {
	const char *type, *path, *text;
	const struct recording_hour *hour; /* NULL: it is of none */
	bool has[CELL_COUNT];
	uint64_t cells[CELL_COUNT];
};

typedef void row_printer(FILE *file, const struct row *row);

static const char *name_of(unsigned cell)
{
	return cell < NUMBER_COUNT ? number_names[cell]
	                           : recording_amount_names[cell - NUMBER_COUNT];
}

static void set(struct row *row, unsigned cell, uint64_t value)
{
	row->has[cell] = true;
	row->cells[cell] = value;
}

void recording_rows_add_reason(const struct recording_gap *gap, struct strbuf *out)
{
	switch (gap->reason) {
	case RECORDING_GAP_NONE_RAN:
		strbuf_add_str(out, "no recorder ran");
		break;
	case RECORDING_GAP_BOOT:
		strbuf_add_str(out, "another boot");
		break;
	case RECORDING_GAP_NOT_WRITTEN:
		strbuf_add_str(out, "not written");
		if (gap->text) {
			strbuf_add_str(out, ": ");
			text_add_escaped(out, gap->text, strlen(gap->text));
		}
		break;
	}
}

static void print_hour(FILE *file, const char *path, const struct recording_hour *hour,
                       row_printer *print)
{
	struct row row = {.type = "hour", .path = path, .hour = hour};

	set(&row, NUMBER_begin_unix_ns, hour->begin_unix_ns);
	set(&row, NUMBER_end_unix_ns, hour->end_unix_ns);
	set(&row, NUMBER_windows, hour->windows);
	set(&row, NUMBER_length_ns, hour->length_ns);
	set(&row, NUMBER_gaps, hour->gaps);
	set(&row, NUMBER_gap_ns, hour->gap_ns);
	set(&row, NUMBER_bytes, hour->bytes);
	for (unsigned i = 0; i < RECORDING_AMOUNT_COUNT; i++)
		if (hour->amounts[i].length_ns == hour->length_ns)
			set(&row, NUMBER_COUNT + i, hour->amounts[i].sum);
	print(file, &row);
}

static void print_gap(FILE *file, const char *path, const struct recording_gap *gap,
                      row_printer *print)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct row row = {.type = "gap", .path = path};

	recording_rows_add_reason(gap, &text);
	row.text = strbuf_str(&text);
	set(&row, NUMBER_begin_unix_ns, gap->begin_unix_ns);
	set(&row, NUMBER_end_unix_ns, gap->end_unix_ns);
	set(&row, NUMBER_gap_ns, gap->length_ns);
	print(file, &row);
}

static void print_dense(FILE *file, const char *path, const struct recording_dense *dense,
                        row_printer *print)
{
	struct row row = {.type = "trigger", .path = path, .text = dense->text};

	set(&row, NUMBER_begin_unix_ns, dense->begin_unix_ns);
	set(&row, NUMBER_end_unix_ns, dense->end_unix_ns);
	set(&row, NUMBER_windows, dense->windows);
	print(file, &row);
}

static void print_rows(FILE *file, const char *path, const struct recording_survey *survey,
                       row_printer *print)
{
	for (size_t i = 0; i < survey->hour_count; i++)
		print_hour(file, path, &survey->hours[i], print);
	for (size_t i = 0; i < survey->gap_count; i++)
		print_gap(file, path, &survey->gaps[i], print);
	for (size_t i = 0; i < survey->dense_count; i++)
		print_dense(file, path, &survey->dense[i], print);
}

/* The marks of amounts. */
static const struct {
	const char *name;
	bool (*has)(const struct recording_hour *hour, enum recording_amount_id id);
} marks[] = {
        {"partial", recording_amount_is_partial},
        {"began_before", recording_amount_began_before},
};

/* Returns the name of an amount of the row that has the mark, or NULL. */
static const char *marked_name(const struct row *row, unsigned mark, unsigned id)
{
	return row->hour && row->has[NUMBER_COUNT + id] &&
	                       marks[mark].has(row->hour, (enum recording_amount_id)id)
	               ? recording_amount_names[id]
	               : NULL;
}

static void print_csv_marks(FILE *file, const struct row *row)
{
	for (unsigned mark = 0; mark < ARRAY_SIZE(marks); mark++) {
		const char *separator = "";

		fputc(',', file);
		for (unsigned i = 0; i < RECORDING_AMOUNT_COUNT; i++)
			if (marked_name(row, mark, i)) {
				fprintf(file, "%s%s", separator, marked_name(row, mark, i));
				separator = " ";
			}
	}
}

static void print_csv_row(FILE *file, const struct row *row)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;

	text_add_escaped(&path, row->path, strlen(row->path));
	if (row->text)
		text_add_escaped(&text, row->text, strlen(row->text));
	csv_print_text(file, strbuf_str(&path), false);
	fprintf(file, ",%s", row->type);
	for (unsigned i = 0; i < CELL_COUNT; i++)
		if (row->has[i])
			fprintf(file, ",%llu", (unsigned long long)row->cells[i]);
		else
			fputc(',', file);
	fputc(',', file);
	if (row->text)
		csv_print_text(file, strbuf_str(&text), false);
	print_csv_marks(file, row);
	fputc('\n', file);
}

static void write_mark(struct json_writer *writer, const struct row *row, unsigned mark)
{
	json_write_key(writer, marks[mark].name);
	if (!row->hour) {
		json_write_null(writer);
		return;
	}
	json_write_open(writer, '[');
	for (unsigned i = 0; i < RECORDING_AMOUNT_COUNT; i++)
		if (marked_name(row, mark, i))
			json_write_str(writer, marked_name(row, mark, i));
	json_write_close(writer, ']');
}

static void print_json_row(FILE *file, const struct row *row)
{
	cleanup_(strbuf_done) struct strbuf out = STRBUF_INIT, path = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&out);

	text_add_replaced(&path, row->path, strlen(row->path));
	json_write_open(&writer, '{');
	json_write_key(&writer, "recording");
	json_write_text(&writer, strbuf_str(&path), path.len);
	json_write_key(&writer, "type");
	json_write_str(&writer, row->type);
	for (unsigned i = 0; i < CELL_COUNT; i++) {
		json_write_key(&writer, name_of(i));
		if (row->has[i])
			json_write_u64(&writer, row->cells[i]);
		else
			json_write_null(&writer);
	}
	json_write_key(&writer, "text");
	if (row->text)
		json_write_str(&writer, row->text);
	else
		json_write_null(&writer);
	for (unsigned mark = 0; mark < ARRAY_SIZE(marks); mark++)
		write_mark(&writer, row, mark);
	json_write_close(&writer, '}');
	fprintf(file, "%s\n", strbuf_str(&out));
}

void recording_rows_csv_head(FILE *file)
{
	fputs("recording,type", file);
	for (unsigned i = 0; i < CELL_COUNT; i++)
		fprintf(file, ",%s", name_of(i));
	fputs(",text", file);
	for (unsigned mark = 0; mark < ARRAY_SIZE(marks); mark++)
		fprintf(file, ",%s", marks[mark].name);
	fputc('\n', file);
}

void recording_rows_csv(FILE *file, const char *path, const struct recording_survey *survey)
{
	print_rows(file, path, survey, print_csv_row);
}

void recording_rows_ndjson(FILE *file, const char *path, const struct recording_survey *survey)
{
	print_rows(file, path, survey, print_json_row);
}
