// SPDX-License-Identifier: GPL-2.0-or-later
/* Single processes of a job, as lines and as CSV: the numbers of the bands on its page, in the same words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv-text.h"
#include "base/mem.h"
#include "base/text.h"
#include "picture.h"
#include "json/json-write.h"

const char *const plot_processes_titles[2] = {"CPU use of processes",
                                              "Resident memory of processes"};

void plot_add_process(const struct series_use *use, struct strbuf *out)
{
	const char *command = use->process->command ? use->process->command : "";

	text_add_escaped(out, use->pid, strlen(use->pid));
	strbuf_add_char(out, ' ');
	text_add_escaped(out, command, strlen(command));
}

void plot_add_process_most(enum series_unit unit, double most, struct strbuf *out)
{
	strbuf_add_str(out, ": most ");
	plot_add_value(unit, most, out);
}

void plot_add_other_processes(size_t count, struct strbuf *out)
{
	strbuf_addf(out, "%zu other process%s", count, count == 1 ? "" : "es");
}

void plot_add_processes_total(const struct series *series, enum series_use_kind kind,
                              struct strbuf *out)
{
	const struct series_row *row = &series_rows[series_use_total(kind)];
	enum series_unit unit = series_panels[row->panel].unit;
	double first = series->records[0].values[series_use_total(kind)];
	double most = series_use_most(series, kind);

	strbuf_addf(out, "the %s in the series, ", row->label);
	if (isnan(most)) {
		strbuf_add_str(out, "which is not known");
		return;
	}
	strbuf_add_str(out, "at most ");
	plot_add_value(unit, most, out);
	if (first > most) {
		strbuf_add_str(out, ", without the ");
		plot_add_value(unit, first, out);
		strbuf_add_str(out, " of the first record, which has no length");
	}
}

static void add_uses(const struct plot *plot, unsigned which, struct strbuf *out)
{
	enum series_use_kind kind = which == 0 ? series_use_of_cpu(plot->series) : SERIES_USE_RSS;
	size_t count;
	struct series_use *uses = series_use_sort(plot->series, kind, &count);
	size_t own = count == PLOT_PROCESSES + 1 || count < PLOT_PROCESSES ? count : PLOT_PROCESSES;

	/* The use of processes that no sample saw is in the total alone. */
	if (count > 0 || series_use_most(plot->series, kind) > 0) {
		strbuf_addf(out, "%s: ", plot_processes_titles[which]);
		plot_add_processes_total(plot->series, kind, out);
		strbuf_add_char(out, '\n');
	}
	for (size_t i = 0; i < own; i++) {
		strbuf_add_str(out, "  ");
		plot_add_process(&uses[i], out);
		plot_add_process_most(which == 0 ? SERIES_UNIT_percent : SERIES_UNIT_bytes,
		                      uses[i].most, out);
		strbuf_add_char(out, '\n');
	}
	if (own < count) {
		strbuf_add_str(out, "  ");
		plot_add_other_processes(count - own, out);
		strbuf_add_char(out, '\n');
	}
	free(uses);
}

void plot_processes_text(const struct plot *plot, struct strbuf *out)
{
	plot_add_head(plot, out);
	for (unsigned which = 0; which < ARRAY_SIZE(plot_processes_titles); which++)
		add_uses(plot, which, out);
}

struct line {
	const struct series_point *point;
	size_t process;
};

static int by_time(const void *a_ptr, const void *b_ptr)
{
	const struct line *a = a_ptr, *b = b_ptr;

	if (a->point->time_ns != b->point->time_ns)
		return a->point->time_ns < b->point->time_ns ? -1 : 1;
	return (a->process > b->process) - (a->process < b->process);
}

/* Returns all points, in the order of time; the caller frees the array. */
static struct line *sort_points(const struct series *series, size_t *ret_count)
{
	struct line *lines = mem_calloc(series->points + 1, sizeof(lines[0]));
	size_t count = 0;

	for (size_t i = 0; i < series->process_count; i++)
		for (size_t k = 0; k < series->processes[i].count; k++)
			lines[count++] = (struct line){&series->processes[i].points[k], i};
	qsort(lines, count, sizeof(lines[0]), by_time);
	*ret_count = count;
	return lines;
}

static void print_number(FILE *file, double number)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&text);

	if (!isnan(number))
		json_write_double(&writer, number);
	fprintf(file, ",%s", strbuf_str(&text));
}

static void print_name(FILE *file, const char *name, bool raw)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	text_add_escaped(&text, name, strlen(name));
	fputc(',', file);
	csv_print_text(file, strbuf_str(&text), raw);
}

/* The columns behind the names, which are there if a process has a value. */
static const enum series_id columns[] = {SERIES_cpu, SERIES_cpu_mean, SERIES_rss};

static double column_of(const struct series_point *point, size_t column)
{
	return column == 0 ? point->cpu : column == 1 ? point->used : point->rss;
}

static void print_line(FILE *file, const struct plot *plot, const struct line *line,
                       const bool shown[ARRAY_SIZE(columns)])
{
	const struct series *series = plot->series;
	const char *command = line->point->command;
	struct series_record record = {.time_ns = line->point->time_ns};
	cleanup_(strbuf_done) struct strbuf seconds = STRBUF_INIT;
	struct json_writer writer = JSON_WRITER_INIT(&seconds);

	json_write_double(&writer, picture_seconds(&record));
	fputs(strbuf_str(&seconds), file);
	print_name(file, series->processes[line->process].pid, plot->csv_raw);
	print_name(file, command ? command : "", plot->csv_raw);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (shown[i])
			print_number(file, column_of(line->point, i));
	fputc('\n', file);
}

static void print_lines(FILE *file, const struct plot *plot)
{
	const struct series *series = plot->series;
	bool shown[ARRAY_SIZE(columns)] = {false};
	size_t count;
	struct line *lines = sort_points(series, &count);

	fputs("elapsed_s,pid,command", file);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		for (size_t k = 0; k < count && !shown[i]; k++)
			shown[i] = !isnan(column_of(lines[k].point, i));
		if (shown[i])
			fprintf(file, ",%s", series_rows[columns[i]].id);
	}
	fputc('\n', file);
	for (size_t i = 0; i < count; i++)
		print_line(file, plot, &lines[i], shown);
	free(lines);
}

void plot_processes_csv(const struct plot *plot, struct strbuf *out)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (!file)
		mem_exhausted();
	print_lines(file, plot);
	mem_stream_close(file, &text);
	strbuf_add(out, text, len);
	free(text);
}
