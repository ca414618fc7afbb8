// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/csv-text.h"
#include "base/text.h"
#include "fleet/fleet-row.h"
#include "metric/units.h"
#include "json/json-write.h"

void fleet_print_csv_head(FILE *file)
{
	for (unsigned c = 0; c < FLEET_COLUMN_COUNT; c++)
		fprintf(file, "%s%s", c > 0 ? "," : "", fleet_column_table[c].name);
	putc('\n', file);
}

static void print_integer(FILE *file, __int128 integer)
{
	cleanup_(strbuf_done) struct strbuf digits = STRBUF_INIT;

	if (integer >= 0 && integer <= INT64_MAX) {
		fprintf(file, "%lld", (long long)integer);
		return;
	}
	units_format_integer(integer, &digits);
	fputs(strbuf_str(&digits), file);
}

/* A text is never the empty cell, which is a null. */
static void print_text(FILE *file, struct span text, bool raw)
{
	cleanup_(strbuf_done) struct strbuf copy = STRBUF_INIT;

	if (text.len == 0) {
		fputs("\"\"", file);
		return;
	}
	text_add_escaped(&copy, text.text, text.len);
	csv_print_text(file, strbuf_str(&copy), raw);
}

void fleet_print_csv(FILE *file, const struct fleet_row *row, bool raw)
{
	for (unsigned c = 0; c < FLEET_COLUMN_COUNT; c++) {
		const struct fleet_cell *cell = &row->cells[c];

		if (c > 0)
			putc(',', file);
		if (cell->kind == FLEET_CELL_INTEGER)
			print_integer(file, cell->integer);
		else if (cell->kind == FLEET_CELL_TEXT)
			print_text(file, cell->text, raw);
	}
	putc('\n', file);
}

static void write_integer(struct json_writer *writer, __int128 integer)
{
	cleanup_(strbuf_done) struct strbuf digits = STRBUF_INIT;

	if (integer >= INT64_MIN && integer <= INT64_MAX) {
		json_write_i64(writer, (int64_t)integer);
		return;
	}
	units_format_integer(integer, &digits);
	json_write_str(writer, strbuf_str(&digits));
}

void fleet_print_ndjson(FILE *file, const struct fleet_row *row, struct strbuf *line)
{
	struct json_writer writer = JSON_WRITER_INIT(line);

	strbuf_clear(line);
	json_write_open(&writer, '{');
	for (unsigned c = 0; c < FLEET_COLUMN_COUNT; c++) {
		const struct fleet_cell *cell = &row->cells[c];

		json_write_key(&writer, fleet_column_table[c].name);
		if (cell->kind == FLEET_CELL_INTEGER)
			write_integer(&writer, cell->integer);
		else if (cell->kind == FLEET_CELL_TEXT)
			json_write_text(&writer, cell->text.text, cell->text.len);
		else
			json_write_null(&writer);
	}
	json_write_close(&writer, '}');
	strbuf_add_char(line, '\n');
	fwrite(line->data, 1, line->len, file);
}
