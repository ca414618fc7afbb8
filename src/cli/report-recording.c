// SPDX-License-Identifier: GPL-2.0-or-later
/* The time of a recording, for its page: passes over its windows. The first one finds when they ended, and reads no more than their
 * heads; the second one adds up those of each column; the third one, all of them. A column has the threads that did something, and the first
 * one all: a column of thousands of threads takes no longer than what a few of them did. */
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
	struct window_sum *sum; /* of the column, or of all windows; owned; NULL: none */
	bool has_idle;          /* of the column that is read */
	bool merges;            /* rows of threads that ended, see window_sum_merge() */
	struct strbuf error;
	int result; /* of the columns so far: 0 or -errno */
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

/* Totals of pressure count for a time of their own, by which its table divides as well. */
static void set_pressure(const struct snapshot_info *info, double ret[PSI_RESOURCE_COUNT])
{
	uint64_t length_ns = info->host.seen[HOST_pressure_interval_ns]
	                             ? info->host.numbers[HOST_pressure_interval_ns]
	                             : info->window.numbers[WINDOW_length_ns];

	for (unsigned i = 0; i < PSI_RESOURCE_COUNT; i++) {
		const struct psi_line *line = &info->psi.lines[i][PSI_ROW_some];

		ret[i] = line->seen && length_ns > 0
		                 ? 100 * (double)line->total_usec * 1000 / (double)length_ns
		                 : NAN;
	}
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

	set_pressure(info, column.pressure);
	/* The clock may have been set back in between. */
	if (column.end_ns < column.begin_ns)
		column.end_ns = column.begin_ns;
	return column;
}

static int add_column(const struct report *report, void *context)
{
	struct building *building = context;
	struct history_column column = column_of(report->sides[0].info);

	column.has_idle = building->has_idle;
	history_add(building->history, &column, report->overview);
	return EXIT_DONE;
}

/* Writes the window over all windows of a sum. Returns 0 or -errno. */
static int write_sum(struct window_sum *sum, struct memory_stream *ret)
{
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer =
	        snapshot_writer_new(&ret->sink, SNAPSHOT_ZSTD_LEVEL);

	return window_sum_write(sum, writer, &info);
}

static int set_means(const struct report *report, void *context)
{
	struct building *building = context;

	history_set_means(building->history, report->overview);
	set_pressure(report->sides[0].info, building->history->pressure_means);
	return EXIT_DONE;
}

static struct window_sum *new_sum(const struct building *building)
{
	struct window_sum *sum = window_sum_new();

	if (building->merges)
		window_sum_merge(sum);
	return sum;
}

/* Ends the column, if there is one: it is read as a window of its own. Returns 0 or -errno. */
static int end_column(struct building *building)
{
	cleanup_(memory_stream_done) struct memory_stream frame = memory_stream_make();
	int r;

	if (!building->sum)
		return 0;
	building->has_idle = window_sum_has_idle(building->sum);
	r = write_sum(building->sum, &frame);
	window_sum_freep(&building->sum);
	if (r == 0)
		r = report_visit_source(building->options, "", &frame.source, &building->error,
		                        add_column, building);
	return r;
}

static struct window_sum *pick_column(struct recording_picker *self, unused_ uint64_t ends_ns)
{
	struct building *building = (struct building *)self;

	/* A recorder may have added windows since the first pass. */
	if (building->at >= building->count)
		return NULL;
	if (building->begins[building->at++] && building->result == 0)
		building->result = end_column(building);
	if (!building->sum && building->result == 0) {
		building->sum = new_sum(building);
		if (building->history->column_count > 0)
			window_sum_only_moved(building->sum);
	}
	return building->sum;
}

static struct window_sum *pick_all(struct recording_picker *self, unused_ uint64_t ends_ns)
{
	struct building *building = (struct building *)self;

	if (building->at >= building->count)
		return NULL;
	building->at++;
	return building->sum;
}

static int pass(struct building *building, const struct recording_operand *operand,
                struct window_sum *(*pick)(struct recording_picker *self, uint64_t ends_ns))
{
	building->picker.pick = pick;
	return recording_pick(operand->fd, operand->is_directory, &operand->range,
	                      &building->options->limits, &building->picker, &building->error);
}

/* Writes the window over all the time. Returns 0 or -errno. */
static int build_whole(struct building *building, const struct recording_operand *operand,
                       struct memory_stream *ret)
{
	int r;

	building->sum = new_sum(building);
	building->at = 0;
	r = pass(building, operand, pick_all);
	if (r == 0)
		r = write_sum(building->sum, ret);
	if (r == 0)
		r = report_visit_source(building->options, "", &ret->source, &building->error,
		                        set_means, building);
	ret->position = 0;
	return r;
}

static int build(struct building *building, const struct recording_operand *operand,
                 struct memory_stream *whole)
{
	int r = pass(building, operand, note_end);

	if (r < 0)
		return r;
	building->begins = history_columns_of(building->ends_ns, building->count);
	r = pass(building, operand, pick_column);
	if (r == 0)
		r = building->result;
	if (r == 0)
		r = end_column(building);
	if (r == 0 && whole && building->history->column_count > 0)
		r = build_whole(building, operand, whole);
	history_finish(building->history);
	return r;
}

/* Appends the command that prints a range, with the groups of the page or with the host as one group. */
static void add_command(const struct report_call *call, const char *operand, bool by_host,
                        struct strbuf *out)
{
	strbuf_add_str(out, "ctprof show");
	report_add_word(out, operand);
	report_add_grouping(call->options, !by_host, out);
	strbuf_add_str(out, by_host ? " -g host" : "");
}

static void add_page(const struct report_call *call, const struct recording_operand *operand,
                     const struct history *history)
{
	cleanup_(strbuf_done) struct strbuf range = STRBUF_INIT;
	struct strbuf texts[4] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	struct page_history_commands commands;

	strbuf_addf(&range, "%s@" PAGE_HISTORY_RANGE, operand->path);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		add_command(call, i < 2 ? call->path : strbuf_str(&range), i % 2 == 1, &texts[i]);
	commands = (struct page_history_commands){strbuf_str(&texts[0]), strbuf_str(&texts[1]),
	                                          strbuf_str(&texts[2]), strbuf_str(&texts[3])};
	page_add_history(history, &commands, call->out);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		strbuf_done(&texts[i]);
}

static int draw(const struct report_call *call, const struct recording_operand *operand,
                const struct history *history)
{
	if (!call->chart) {
		add_page(call, operand, history);
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
	/* One that cannot be opened now has its error from there. */
	return recording_operand_is(path) != 0;
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
	options.rows.patterns = true;
	options.limits = call->options->limits;
	options.by = call->options->by;
	options.sort.aspect = ASPECT_cpu;
	report_options_finish_overview(&options);
	building.options = &options;
	mem_limit(options.limits.memory);
	building.merges = !group_by_has(&options.by, GROUP_KEY_pid) &&
	                  !group_by_has(&options.by, GROUP_KEY_thread);
	if (r > 0)
		r = build(&building, &operand, call->whole);
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
