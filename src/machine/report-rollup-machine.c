// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees of directories in the machine formats: one row for each directory and measure, the same keys in all of them. */
#include <string.h>

#include "base/csv-text.h"
#include "json-output.h"
#include "machine-value.h"
#include "machine/report-machine.h"
#include "report/report-rollup.h"

/* A cell: a text, or a number where the text is NULL, or a flag. */
struct cell {
	const char *name;
	bool is_flag, flag;
	const char *text;
	size_t text_len;
	struct quantity number;
};

enum { CELLS_MAX = 32 };

struct cells {
	struct cell cells[CELLS_MAX];
	unsigned count;
};

static void add_text(struct cells *cells, const char *name, const char *text, size_t len)
{
	cells->cells[cells->count++] = (struct cell){.name = name, .text = text, .text_len = len};
}

static void add_number(struct cells *cells, const char *name, struct quantity number)
{
	cells->cells[cells->count++] = (struct cell){.name = name, .number = number};
}

static void add_flag(struct cells *cells, const char *name, bool flag)
{
	cells->cells[cells->count++] = (struct cell){.name = name, .is_flag = true, .flag = flag};
}

/* Without a process of its own a directory did nothing by itself, if anything is known of those below. */
static struct quantity own_of(const struct rollup_row *row, struct quantity own,
                              struct quantity total)
{
	if (row->has_own || total.kind == QUANTITY_NONE)
		return own;
	return quantity_integer(0);
}

static void add_one_side(struct cells *cells, const struct rollup_row *row)
{
	add_number(cells, "processes", quantity_integer(row->total.processes[0]));
	add_number(cells, "threads", quantity_integer(row->total.threads[0]));
	add_number(cells, "own", own_of(row, row->own.values[0], row->total.values[0]));
	add_number(cells, "total", row->total.values[0]);
}

static void add_two_sides(struct cells *cells, const struct rollup_row *row)
{
	static const char *const names[][SIDE_MAX] = {
	        {"processes_baseline", "processes_candidate"},
	        {"threads_baseline", "threads_candidate"},
	        {"own_baseline", "own_candidate"},
	        {"baseline", "candidate"},
	};

	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_number(cells, names[0][side], quantity_integer(row->total.processes[side]));
	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_number(cells, names[1][side], quantity_integer(row->total.threads[side]));
	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_number(cells, names[2][side],
		           own_of(row, row->own.values[side], row->total.values[side]));
	add_number(cells, "own_delta", own_of(row, row->own.delta, row->total.delta));
	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_number(cells, names[3][side], row->total.values[side]);
	add_number(cells, "delta", row->total.delta);
	add_number(cells, "percent", row->percent);
}

/* Adds whether the values lack some of the threads, or their difference is one of how they were measured: a table marks them. */
static void add_partial(struct cells *cells, const struct rollup_row *row, unsigned sides)
{
	static const char *const names[][SIDE_MAX] = {
	        {"own_partial_baseline", "own_partial_candidate"},
	        {"partial_baseline", "partial_candidate"},
	};

	if (sides == 1) {
		add_flag(cells, "own_partial", row->has_own && row->own.partial[0]);
		add_flag(cells, "partial", row->total.partial[0]);
		return;
	}
	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_flag(cells, names[0][side], row->has_own && row->own.partial[side]);
	for (unsigned side = 0; side < SIDE_MAX; side++)
		add_flag(cells, names[1][side], row->total.partial[side]);
	add_flag(cells, "own_measured_differently", row->has_own && row->own.measured_differently);
	add_flag(cells, "measured_differently", row->total.measured_differently);
}

/* Adds whether waits in the values began before the window, of any side: as in the column of marks. */
static void add_began_before(struct cells *cells, const struct rollup_row *row)
{
	const bool *own = row->own.began_before, *total = row->total.began_before;

	add_flag(cells, "own_began_before", row->has_own && (own[0] || own[1]));
	add_flag(cells, "began_before", total[0] || total[1]);
}

/* The parent's path, or nothing of a root. */
static void add_parent(struct cells *cells, const struct rollup *rollup,
                       const struct rollup_row *row)
{
	const struct path_node *parent;

	if (!rollup->tree.nodes || row->node->parent == PATH_NODE_NONE) {
		add_text(cells, "parent", "", 0);
		return;
	}
	parent = &rollup->tree.nodes[row->node->parent];
	add_text(cells, "parent", parent->path, parent->path_len);
}

static void fill(struct cells *cells, const struct report *report, const struct rollup *rollup,
                 const struct rollup_row *row)
{
	const char *metric = measure_name(rollup->measure);
	const char *unit = measure_unit_name(rollup->measure, rollup->per);

	cells->count = 0;
	add_text(cells, "path", row->node->path, row->node->path_len);
	if (rollup_is_of_processes(report->rows))
		add_parent(cells, rollup, row);
	add_number(cells, "depth", quantity_integer(row->node->depth));
	add_text(cells, "metric", metric, strlen(metric));
	add_text(cells, "unit", unit, strlen(unit));
	if (report->rows->sides == SIDE_MAX)
		add_two_sides(cells, row);
	else
		add_one_side(cells, row);
	add_number(cells, "percent_host", row->host_percent);
	add_number(cells, "percent_parent", row->parent_percent);
	add_partial(cells, row, report->rows->sides);
	add_began_before(cells, row);
}

static void print_csv_cell(FILE *file, const struct report *report, const struct cell *cell)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (cell->is_flag) {
		fputs(cell->flag ? "true" : "false", file);
	} else if (cell->text) {
		strbuf_add(&text, cell->text, cell->text_len);
		csv_print_text(file, strbuf_str(&text), report->csv_raw);
	} else if (cell->number.kind != QUANTITY_NONE) {
		machine_add_number(cell->number, &text);
		fputs(strbuf_str(&text), file);
	}
}

void report_rollup_csv(FILE *file, const struct report *report, const struct report_rollup *of)
{
	static const struct path_node no_node = {.path = "", .parent = PATH_NODE_NONE};
	static const struct rollup_row no_row = {.node = &no_node};
	struct cells cells;

	fill(&cells, report, &of->trees[0], &no_row);
	for (unsigned c = 0; c < cells.count; c++)
		fprintf(file, "%s%s", c > 0 ? "," : "", cells.cells[c].name);
	putc('\n', file);
	for (size_t t = 0; t < of->count; t++)
		for (size_t i = 0; i < report_rollup_shown(of, &of->trees[t]) && !ferror(file);
		     i++) {
			fill(&cells, report, &of->trees[t], &of->trees[t].rows[i]);
			for (unsigned c = 0; c < cells.count; c++) {
				if (c > 0)
					putc(',', file);
				print_csv_cell(file, report, &cells.cells[c]);
			}
			putc('\n', file);
		}
}

static void write_row(struct json_output *out, const struct cells *cells)
{
	json_write_open(&out->writer, '{');
	for (unsigned c = 0; c < cells->count; c++) {
		const struct cell *cell = &cells->cells[c];

		json_write_key(&out->writer, cell->name);
		strbuf_clear(&out->scratch);
		if (cell->is_flag) {
			json_write_bool(&out->writer, cell->flag);
		} else if (cell->text) {
			json_write_text(&out->writer, cell->text, cell->text_len);
		} else if (cell->number.kind == QUANTITY_NONE) {
			json_write_null(&out->writer);
		} else {
			machine_add_number(cell->number, &out->scratch);
			json_write_raw(&out->writer, strbuf_str(&out->scratch), out->scratch.len);
		}
	}
	json_write_close(&out->writer, '}');
}

static void write_rows(struct json_output *out, const struct report *report,
                       const struct report_rollup *of, bool lines)
{
	struct cells cells;

	for (size_t t = 0; t < of->count; t++)
		for (size_t i = 0; i < report_rollup_shown(of, &of->trees[t]) && !ferror(out->file);
		     i++) {
			fill(&cells, report, &of->trees[t], &of->trees[t].rows[i]);
			if (lines)
				out->writer = JSON_WRITER_INIT(&out->buffer);
			write_row(out, &cells);
			if (lines)
				strbuf_add_char(&out->buffer, '\n');
			json_output_flush(out, JSON_OUTPUT_BYTES);
		}
}

void report_rollup_json(FILE *file, const struct report *report, const struct report_rollup *of,
                        bool lines)
{
	struct json_output out = {.file = file};
	bool two = report->rows->sides == SIDE_MAX;

	out.writer = JSON_WRITER_INIT(&out.buffer);
	if (!lines) {
		json_write_open(&out.writer, '{');
		json_write_key(&out.writer, "rollup");
		json_write_str(&out.writer, of->name);
		json_output_side(&out, two ? "baseline" : "snapshot", &report->sides[0]);
		if (two)
			json_output_side(&out, "candidate", &report->sides[1]);
		json_write_key(&out.writer, "rows");
		json_write_open(&out.writer, '[');
	}
	write_rows(&out, report, of, lines);
	if (!lines) {
		json_write_close(&out.writer, ']');
		json_write_key(&out.writer, "left_out");
		json_write_u64(&out.writer, report_rollup_left_out(of));
		json_write_close(&out.writer, '}');
		strbuf_add_char(&out.buffer, '\n');
	}
	json_output_flush(&out, 0);
	machine_value_done(&out.value);
	strbuf_done(&out.buffer);
	strbuf_done(&out.scratch);
}
