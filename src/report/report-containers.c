// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/report-containers.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv-text.h"
#include "base/mem.h"
#include "base/text.h"
#include "metric/units.h"
#include "report-overview.h"

enum { ID_SHOWN = 12 /* as docker shows it */ };

struct line {
	const char *id, *name; /* borrowed; the name is NULL if it is not known */
	struct container_numbers numbers;
};

enum {
	CONTAINER_NAME,
	CONTAINER_ID,
	CONTAINER_CPU,
	CONTAINER_MEMORY,
	CONTAINER_LIMIT,
	CONTAINER_MEMORY_PERCENT,
	CONTAINER_READ,
	CONTAINER_WRITTEN,
	CONTAINER_PIDS,
	CONTAINER_COLUMNS
};
static const struct table_column columns[CONTAINER_COLUMNS] = {
        {.heading = "name", .shrinks = SHRINKS_ALWAYS},
        {.heading = "id", .leaves = 1},
        {.heading = "cpu%", .right = true},
        {.heading = "memory", .right = true},
        {.heading = "limit", .right = true, .leaves = 4},
        {.heading = "mem%", .right = true},
        {.heading = "read", .right = true, .leaves = 3},
        {.heading = "written", .right = true, .leaves = 3},
        {.heading = "pids", .right = true, .leaves = 5},
};

static double sort_value(struct quantity quantity)
{
	return quantity.kind == QUANTITY_NONE ? -1 : quantity_double(quantity);
}

static int by_use(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	double cpu = sort_value(y->numbers.cpu_percent_docker) -
	             sort_value(x->numbers.cpu_percent_docker);
	double memory = sort_value(y->numbers.memory_bytes) - sort_value(x->numbers.memory_bytes);

	if (cpu != 0)
		return cpu > 0 ? 1 : -1;
	if (memory != 0)
		return memory > 0 ? 1 : -1;
	return strcmp(x->id, y->id);
}

/* Returns the lines in their order; the caller frees them. */
static struct line *lines_of(const struct report *report, const struct container_table *containers)
{
	const struct snapshot_info *info = report->sides[SIDE_BASELINE].info;
	struct line *lines = mem_calloc(containers->map.count + 1, sizeof(*lines));

	for (size_t i = 0; i < containers->map.count; i++) {
		const struct strmap_entry *entry = &containers->map.entries[i];

		lines[i] = (struct line){
		        .id = entry->key,
		        .name = host_map_get(&info->host, HOST_containers, entry->key),
		        .numbers = container_numbers_of(entry->value, info),
		};
	}
	qsort(lines, containers->map.count, sizeof(*lines), by_use);
	return lines;
}

static void add_percent(struct quantity percent, struct strbuf *out)
{
	if (percent.kind == QUANTITY_NONE)
		strbuf_add_char(out, '-');
	else
		strbuf_addf(out, "%.2f", quantity_double(percent));
}

static void add_bytes(struct quantity bytes, struct strbuf *out)
{
	if (bytes.kind == QUANTITY_NONE)
		strbuf_add_char(out, '-');
	else
		units_format(UNIT_bytes, bytes, false, out);
}

static enum table_color cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct line *line = (const struct line *)context + row;
	const char *name = line->name ? line->name : line->id;
	size_t id_len = strlen(line->id);

	switch (column) {
	case CONTAINER_NAME:
		text_add_escaped(out, name, strlen(name));
		break;
	case CONTAINER_ID:
		text_add_escaped(out, line->id, id_len < ID_SHOWN ? id_len : ID_SHOWN);
		break;
	case CONTAINER_CPU:
		add_percent(line->numbers.cpu_percent_docker, out);
		break;
	case CONTAINER_MEMORY:
		add_bytes(line->numbers.memory_bytes, out);
		break;
	case CONTAINER_LIMIT:
		add_bytes(line->numbers.limit_bytes, out);
		break;
	case CONTAINER_MEMORY_PERCENT:
		add_percent(line->numbers.memory_percent, out);
		break;
	case CONTAINER_READ:
		add_bytes(line->numbers.read_bytes, out);
		break;
	case CONTAINER_WRITTEN:
		add_bytes(line->numbers.write_bytes, out);
		break;
	case CONTAINER_PIDS:
		if (line->numbers.pids.kind == QUANTITY_NONE)
			strbuf_add_char(out, '-');
		else
			strbuf_addf(out, "%.0f", quantity_double(line->numbers.pids));
		break;
	}
	return COLOR_NONE;
}

static void print_number(FILE *file, struct quantity number)
{
	putc(',', file);
	if (number.kind == QUANTITY_REAL)
		fprintf(file, "%.17g", quantity_double(number));
	else if (number.kind != QUANTITY_NONE)
		fprintf(file, "%.0f", quantity_double(number));
}

static void print_csv(FILE *file, const struct report *report, const struct line *lines,
                      size_t count)
{
	fputs("name,id,cpu_percent_docker,cpu_percent_cadvisor,memory_bytes,working_set_bytes,"
	      "limit_bytes,memory_percent,read_bytes,write_bytes,pids\n",
	      file);
	for (size_t i = 0; i < count; i++) {
		const struct container_numbers *numbers = &lines[i].numbers;

		if (lines[i].name)
			csv_print_text(file, lines[i].name, report->csv_raw);
		putc(',', file);
		csv_print_text(file, lines[i].id, report->csv_raw);
		print_number(file, numbers->cpu_percent_docker);
		print_number(file, numbers->cpu_percent_cadvisor);
		print_number(file, numbers->memory_bytes);
		print_number(file, numbers->working_set_bytes);
		print_number(file, numbers->limit_bytes);
		print_number(file, numbers->memory_percent);
		print_number(file, numbers->read_bytes);
		print_number(file, numbers->write_bytes);
		print_number(file, numbers->pids);
		putc('\n', file);
	}
}

static void add_foot(const struct report *report, struct strbuf *out)
{
	bool window = report->sides[SIDE_BASELINE].info->kind == KIND_window;

	strbuf_add_str(out, "as docker stats has it: cpu% of one CPU, memory without inactive file "
	                    "pages\n");
	strbuf_add_str(out, window ? "read and written are those of the window\n"
	                           : "cpu% is known in a window: ctprof capture --window\n");
}

void report_print_containers(FILE *file, const struct report *report,
                             const struct container_table *containers, bool csv)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct line *lines = lines_of(report, containers);

	if (csv) {
		print_csv(file, report, lines, containers->map.count);
		free(lines);
		return;
	}
	report_add_two_lines(report, &text);
	if (containers->map.count == 0)
		strbuf_add_str(&text, "no thread is in the cgroup of a container\n");
	table_print_text(file, &report->style, &text);
	if (containers->map.count == 0) {
		free(lines);
		return;
	}
	table_print(file, &report->style, columns, CONTAINER_COLUMNS, containers->map.count, cell,
	            lines);
	free(lines);
	strbuf_clear(&text);
	add_foot(report, &text);
	if (report->style.markdown)
		putc('\n', file);
	table_print_text(file, &report->style, &text);
}
