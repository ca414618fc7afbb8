// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/capture-series.h"
#include "cli/commands.h"
#include "command/options.h"
#include "live/live-run.h"
#include "query/cycle-options.h"
#include "query/report-options.h"
#include "recorder/record-wait.h"

#define EVERY_DEFAULT_NS (5 * NS_PER_SECOND)

static const char *const notes[] = {
        "Each window begins where the one before ended, so nothing is between them.",
        "Without --batch they are shown in place; the key h has all keys, q quits.",
        NULL,
};

static int fail(int r, const struct strbuf *reason)
{
	cli_error("%s", reason->len > 0 ? strbuf_str(reason) : strerror(-r));
	return EXIT_FAILED;
}

/* Each window is whole, since no other one is in front of it. */
static int write_window(struct snapshot_writer *writer, struct snapshot_info *ret_info,
                        struct strbuf *reterr, void *context)
{
	return capture_series_next(context, true, writer, ret_info, reterr);
}

/* Prints one cycle, and has it read at once. Returns an exit status. */
static int print_cycle(const struct report_options *options, struct capture_series *series,
                       bool is_first)
{
	bool is_apart = options->format == FORMAT_TABLE;
	int status;

	if (!is_first && is_apart)
		putchar('\n');
	status = report_print_written(options, write_window, series, stdout);
	if (status == EXIT_DONE && (fflush(stdout) != 0 || ferror(stdout)))
		status = cli_finish_output(errno);
	return status;
}

static int print_cycles(const struct report_options *options, struct record_wait *wait,
                        struct capture_series *series, uint64_t every_ns)
{
	uint64_t until_ns = clock_now_ns(CLOCK_MONOTONIC);
	uint64_t count = options->cycles.count;

	for (uint64_t i = 0; count == 0 || i < count; i++) {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
		enum record_event event;
		int r, status;

		/* Cycles that come too late for their place are not made up for. */
		until_ns = until_ns + every_ns > now_ns ? until_ns + every_ns : now_ns + every_ns;
		r = record_wait_next(wait, until_ns, false, &event);
		if (r < 0)
			return fail(r, &STRBUF_INIT);
		if (event != RECORD_TIME)
			break;
		status = print_cycle(options, series, i == 0);
		if (status != EXIT_DONE)
			return status;
	}
	return cli_finish_output(0);
}

static uint64_t every_of(const struct report_options *options)
{
	return options->cycles.every_ns ? options->cycles.every_ns : EVERY_DEFAULT_NS;
}

static int run_batch(const struct report_options *options)
{
	uint64_t every_ns = every_of(options);
	struct capture_series_options how = {
	        .capture = {.smaps = CAPTURE_SMAPS_OFF, .jemalloc = JEMALLOC_MODE_OFF},
	        .length_ns = every_ns};
	cleanup_(record_wait_done) struct record_wait wait = {.signal_fd = -1};
	cleanup_(capture_series_freep) struct capture_series *series = NULL;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	int r = record_wait_init(&wait);

	if (r == 0)
		r = capture_series_new(&how, &series, &reason);
	return r < 0 ? fail(r, &reason) : print_cycles(options, &wait, series, every_ns);
}

static int run(const struct command *command, int argc, char **argv)
{
	cleanup_(report_options_done) struct report_options options;
	int id;

	report_options_init(&options, 1);
	id = report_options_parse(&options, command, argc, argv);
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (optind < argc)
		return cli_usage_error(command, "unexpected argument '%s'", argv[optind]);
	if (options.cycles.batch)
		return run_batch(&options);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		cli_error("top needs a terminal; --batch prints windows without one");
		return EXIT_FAILED;
	}
	if (options.rollup.given || options.format != FORMAT_TABLE)
		return cli_usage_error(command, "%s is for --batch",
		                       options.rollup.given ? "--rollup" : "another format");
	return live_run(command, argc, argv, &options, every_of(&options));
}

static const char *const other_names[] = {"htop", "delaytop", "monitor", NULL};

const struct command command_top = {
        .name = "top",
        .summary = "Show what every group does, window after window",
        .other_names = other_names,
        .operands = NULL,
        .operand_values = TAKES(NOTHING),
        .options = {cycle_option_table, NULL},
        .notes = notes,
        .run = run,
};
