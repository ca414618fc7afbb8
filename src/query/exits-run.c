// SPDX-License-Identifier: GPL-2.0-or-later
#include "exits-run.h"

#include <stdlib.h>

#include "base/mem.h"
#include "command/pager.h"
#include "machine/report-machine.h"
#include "report/report-exits.h"

enum { EXITS_WIDTH = 80 };

int exits_settle(const struct report_options *options, const struct command *command)
{
	int r = 0;

	if (!options->exits)
		return 0;
	if (options->rollup.given || options->delays || options->host ||
	    options->rollup.metrics_given)
		r = cli_usage_error(command,
		                    "--exits has no use for --rollup, --delays, --host and "
		                    "--metrics");
	else if (options->rollup.other)
		r = cli_usage_error(command, "--exits has no use for --%s", options->rollup.other);
	else if (options->format != FORMAT_TABLE && options->format != FORMAT_MARKDOWN &&
	         options->format != FORMAT_CSV && options->format != FORMAT_NDJSON)
		r = cli_usage_error(command,
		                    "--exits has the formats table, markdown, csv and ndjson");
	return r == 0 ? 0 : -1;
}

struct exits_row {
	uint64_t ended_boottime_ns;
	uint32_t row;
};

static int by_end(const void *a, const void *b)
{
	const struct exits_row *x = a, *y = b;

	if (x->ended_boottime_ns != y->ended_boottime_ns)
		return x->ended_boottime_ns > y->ended_boottime_ns ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Returns the rows by the time of their end; the caller frees them. */
static uint32_t *order_of(const struct thread_store *ended)
{
	struct exits_row *rows = mem_calloc(ended->count + 1u, sizeof(*rows));
	uint32_t *order = mem_calloc(ended->count + 1u, sizeof(*order));

	for (uint32_t i = 0; i < ended->count; i++)
		rows[i] = (struct exits_row){thread_store_time(ended, i), i};
	qsort(rows, ended->count, sizeof(*rows), by_end);
	for (uint32_t i = 0; i < ended->count; i++)
		order[i] = rows[i].row;
	free(rows);
	return order;
}

static void print(FILE *file, const struct report *report, const struct report_exits *exits,
                  enum report_format format)
{
	if (format == FORMAT_CSV)
		report_exits_csv(file, report, exits);
	else if (format == FORMAT_NDJSON)
		report_exits_ndjson(file, report, exits);
	else
		report_exits_table(file, report, exits);
}

int exits_visit(const struct report_options *options, const struct load *load,
                const struct table_style *style)
{
	struct pager pager;
	struct report report = {.verbose = options->verbose,
	                        .csv_raw = options->csv_raw,
	                        .sides = {{load->path, &load->info, load->file_bytes, NULL}},
	                        .style = *style};
	struct row_set set = {.sides = 1};
	struct report_exits exits = {.ended = &load->ended, .count = load->ended.count};
	uint32_t *order;

	if (load->info.kind != KIND_window) {
		cli_error("%s is no window: ends of threads are noted by 'ctprof capture --window'",
		          load->path);
		return EXIT_FAILED;
	}
	set.frames[SIDE_BASELINE] = derive_frame_of(&load->info);
	report.rows = &set;
	report.style.width = report.style.width > 0 ? report.style.width : EXITS_WIDTH;
	report.style.wrap = options->wrap;
	report.style.markdown = options->format == FORMAT_MARKDOWN;
	if (report.style.markdown) {
		report.style.width = 0;
		report.style.color = false;
	}
	order = order_of(&load->ended);
	exits.order = order;
	exits.shown =
	        options->limit > 0 && options->limit < exits.count ? options->limit : exits.count;
	pager_start(&pager, !options->no_pager && options->format == FORMAT_TABLE);
	print(pager.file, &report, &exits, options->format);
	free(order);
	return pager_finish(&pager);
}
