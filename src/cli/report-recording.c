// SPDX-License-Identifier: GPL-2.0-or-later
/* The time of a recording, for its page: two passes over its windows. The first one finds when they ended, the second one adds up
 * those of each column. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "input/recording-operand.h"
#include "overview/overview.h"
#include "page/page-history.h"
#include "recording/recording-read.h"
#include "report-kinds.h"

const char *const report_recording_charts[] = {"lines", "heat", NULL};

struct building {
	struct recording_picker picker; /* must stay the first member */
	const struct report_options *options;
	struct history *history;
	uint64_t *ends_ns; /* of windows; owned */
	size_t count, capacity;
	bool *begins; /* of the second pass: windows that begin a column; owned */
	size_t at;
	struct window_sum *sum; /* of the column; owned */
	struct strbuf error;
	int status; /* an exit status: EXIT_FAILED after an error that was printed */
};

static void building_done(struct building *building)
{
	free(building->ends_ns);
	free(building->begins);
	window_sum_freep(&building->sum);
	strbuf_done(&building->error);
}

static struct window_sum *note_end(struct recording_picker *self, uint64_t ends_ns)
{
	struct building *building = (struct building *)self;

	*array_add(building->ends_ns, building->count, building->capacity) = ends_ns;
	return NULL;
}

static struct history_column column_of(const struct snapshot_info *info)
{
	const struct snapshot_window *window = &info->window;
	struct history_column column = {.begin_ns = window->numbers[WINDOW_begin_unix_ns],
	                                .end_ns = info->captured_at_unix_ns,
	                                .length_ns = window->numbers[WINDOW_length_ns],
	                                .windows = window->numbers[WINDOW_windows],
	                                .gaps = window->numbers[WINDOW_gaps],
	                                .gap_ns = window->numbers[WINDOW_gap_ns]};

	for (unsigned i = 0; i < PSI_RESOURCE_COUNT; i++) {
		const struct psi_line *line = &info->psi.lines[i][PSI_ROW_some];

		column.pressure[i] =
		        line->seen && column.length_ns > 0
		                ? 100 * (double)line->total_usec * 1000 / (double)column.length_ns
		                : NAN;
	}
	/* The clock may have been set back in between. */
	if (column.end_ns < column.begin_ns)
		column.end_ns = column.begin_ns;
	return column;
}

static int add_column(const struct report *report, void *context)
{
	struct building *building = context;
	struct history_column column = column_of(report->sides[0].info);

	history_add(building->history, &column, report->overview);
	return EXIT_DONE;
}

/* Ends the column, if there is one. */
static void end_column(struct building *building)
{
	if (building->sum && building->status == EXIT_DONE)
		building->status =
		        report_visit_sum(building->options, building->sum, add_column, building);
	window_sum_freep(&building->sum);
}

static struct window_sum *pick_column(struct recording_picker *self, unused_ uint64_t ends_ns)
{
	struct building *building = (struct building *)self;

	/* A recorder may have added windows since the first pass. */
	if (building->at >= building->count)
		return NULL;
	if (building->begins[building->at++])
		end_column(building);
	if (!building->sum && building->status == EXIT_DONE)
		building->sum = window_sum_new();
	return building->sum;
}

static int pass(struct building *building, const struct recording_operand *operand,
                struct window_sum *(*pick)(struct recording_picker *self, uint64_t ends_ns))
{
	building->picker.pick = pick;
	return recording_pick(operand->fd, operand->is_directory, &operand->range,
	                      &building->options->limits, &building->picker, &building->error);
}

static int build(struct building *building, const struct recording_operand *operand)
{
	int r = pass(building, operand, note_end);

	if (r < 0)
		return r;
	building->begins = history_columns_of(building->ends_ns, building->count);
	r = pass(building, operand, pick_column);
	if (r == 0)
		end_column(building);
	history_finish(building->history);
	return r;
}

/* The command that prints a range: the word RANGE stands for it. */
static void add_command(const struct report_call *call, const struct recording_operand *operand,
                        struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf word = STRBUF_INIT;

	strbuf_addf(&word, "%s@RANGE", operand->path);
	strbuf_add_str(out, "ctprof show");
	report_add_word(out, strbuf_str(&word));
	report_add_grouping(call->options, true, out);
}

static int draw(const struct report_call *call, const struct recording_operand *operand,
                const struct history *history)
{
	cleanup_(strbuf_done) struct strbuf command = STRBUF_INIT, whole = STRBUF_INIT;

	if (!call->chart) {
		add_command(call, operand, &command);
		strbuf_add_str(&whole, "ctprof show");
		report_add_word(&whole, call->path);
		report_add_grouping(call->options, true, &whole);
		page_add_history(history, strbuf_str(&command), strbuf_str(&whole), call->out);
		return EXIT_DONE;
	}
	if (strcmp(call->chart, report_recording_charts[0]) == 0) {
		page_add_lines_svg(history, call->out);
		return EXIT_DONE;
	}
	if (page_add_heat_svg(history, call->out))
		return EXIT_DONE;
	cli_error("no time of 'cpu' was seen");
	return EXIT_FAILED;
}

bool report_is_recording(const char *path)
{
	return recording_operand_is(path);
}

int report_recording(const struct report_call *call)
{
	cleanup_(recording_operand_done) struct recording_operand operand = RECORDING_OPERAND_INIT;
	cleanup_(history_done) struct history history = {0};
	cleanup_(building_done) struct building building = {.history = &history};
	cleanup_(report_options_done) struct report_options options;
	int r = recording_operand_open(&operand, call->path, &building.error);

	/* All groups count here, and are compared with the host's total. */
	report_options_init(&options, 1);
	options.page = true;
	options.with_own = true;
	options.limits = call->options->limits;
	options.by = call->options->by;
	options.sort.aspect = ASPECT_cpu;
	report_options_finish_overview(&options);
	building.options = &options;
	mem_limit(options.limits.memory);
	if (r > 0)
		r = build(&building, &operand);
	if (building.status != EXIT_DONE)
		return building.status;
	/* The page has the same operand for its other sections, and so the error of that. */
	if (r >= 0 && history.column_count == 0 && !call->chart)
		return EXIT_DONE;
	if (r < 0 || history.column_count == 0) {
		cli_error("%s: %s", call->path,
		          building.error.len > 0 ? strbuf_str(&building.error)
		          : r < 0                ? strerror(-r)
		                                 : "there is no window in it");
		return EXIT_FAILED;
	}
	return draw(call, &operand, &history);
}
