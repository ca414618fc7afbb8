// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/duration.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/scan.h"
#include "base/text.h"
#include "capture/capture.h"
#include "cli/commands.h"
#include "command/options.h"
#include "job/job-format.h"
#include "job/job-report.h"
#include "job/job-run.h"
#include "run-records.h"

enum {
	OPT_OUTPUT = 1,
	OPT_REPEAT,
	OPT_WAIT_ALL,
	OPT_FORMAT,
	OPT_SUMMARY_FORMAT,
	OPT_SUMMARY,
	OPT_QUIET,
	OPT_SMAPS,
	OPT_SAMPLE,
	OPT_REPORT,
	OPT_RECORDS,
};

/* Commands use no code of our own. env(1) has the same one for its own failures. */
enum { CODE_FAILED = 125, REPEATS_MAX = 10000, WIDTH = 80 };

enum format { FORMAT_TEXT, FORMAT_OBJECT };
static const char *const formats[] = {"text", "json", NULL};
static const char *const smaps[] = {"auto", "all", "off", NULL};

static const struct cli_option options[] = {
        {OPT_OUTPUT, 'o', "output", "FILE", "keep a window of the whole host, from start to end",
         TAKES(FILE)},
        {OPT_REPEAT, 'r', "repeat", "N", "run it N times: mean, spread and interval",
         TAKES(NUMBER)},
        {OPT_WAIT_ALL, 0, "wait-all", NULL, "wait for all descendants, and count all they do",
         TAKES(NOTHING)},
        {OPT_FORMAT, 'f', "format", "FORMAT", "the form of the summary: text (default) or json",
         TAKES_WORD(formats)},
        {OPT_SUMMARY_FORMAT, 0, "summary-format", "TEXT",
         "the summary by fields: '{cpu_time:.2f} {peak_rss!S}'", TAKES(TEXT)},
        {OPT_SUMMARY, 0, "summary", "FILE", "write the summary to FILE, not to standard error",
         TAKES(FILE)},
        {OPT_QUIET, 'q', "quiet", NULL, "print no summary", TAKES(NOTHING)},
        {OPT_SMAPS, 0, "smaps", "WHICH", "PSS of processes: auto (not huge), all, off",
         TAKES_WORD(smaps)},
        {OPT_SAMPLE, 0, "sample", "TIME", "the longest time between readings of memory (1s)",
         TAKES(TEXT)},
        {OPT_REPORT, 0, "report", "TIME", "the time between readings of PSS, and records (60s)",
         TAKES(TEXT)},
        {OPT_RECORDS, 0, "records", "PREFIX", "write a record each --report, for plot and list",
         TAKES(FILE)},
        {0},
};

static const char *const notes[] = {
        "COMMAND is run where it would be without ctprof: same terminal, same files. The",
        "exit code is its own; 127 if it is not found, 126 if it cannot be executed, and",
        "125 if ctprof fails. A FILE that cannot be written changes none of these.",
        NULL,
};

struct arguments {
	const char *output, *summary, *summary_format, *records;
	enum format format;
	bool quiet, sample_given;
	uint64_t repeats;
	struct job_options job;
};

static int parse_time(const struct option_parser *parser, uint64_t *ret_ns)
{
	if (duration_parse(parser->value, ret_ns) && *ret_ns >= NS_PER_MS)
		return 0;
	return options_error(parser, "'%s' is not a time such as 500ms, 1s or 2m, or below 1ms",
	                     parser->value);
}

static int parse_repeats(const struct option_parser *parser, uint64_t *ret)
{
	if (scan_u64(parser->value, strlen(parser->value), ret) && *ret > 0 && *ret <= REPEATS_MAX)
		return 0;
	return options_error(parser, "'%s' is not a number from 1 to %d", parser->value,
	                     REPEATS_MAX);
}

static int parse_template(const struct option_parser *parser, const char **ret)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	*ret = parser->value;
	if (job_format_check(parser->value, &reason) == 0)
		return 0;
	return options_error(parser, "%s", strbuf_str(&reason));
}

static int parse_one(const struct option_parser *parser, int id, struct arguments *ret)
{
	int r = 0;

	switch (id) {
	case OPT_OUTPUT:
		ret->output = parser->value;
		break;
	case OPT_REPEAT:
		return parse_repeats(parser, &ret->repeats);
	case OPT_WAIT_ALL:
		ret->job.wait_all = true;
		break;
	case OPT_FORMAT:
		r = options_choose(parser, formats);
		ret->format = (enum format)r;
		break;
	case OPT_SUMMARY_FORMAT:
		return parse_template(parser, &ret->summary_format);
	case OPT_SUMMARY:
		ret->summary = parser->value;
		break;
	case OPT_QUIET:
		ret->quiet = true;
		break;
	case OPT_SMAPS:
		r = options_choose(parser, smaps);
		ret->job.smaps = (enum job_smaps)r;
		break;
	case OPT_SAMPLE:
		ret->sample_given = true;
		return parse_time(parser, &ret->job.sample_ns);
	case OPT_REPORT:
		return parse_time(parser, &ret->job.report_ns);
	case OPT_RECORDS:
		ret->records = parser->value;
		break;
	}
	return r;
}

static int parse(const struct command *command, int argc, char **argv, struct arguments *ret)
{
	struct option_parser parser;
	int id, r = 0;

	options_init(&parser, command, argc, argv);
	while (r >= 0 && (id = options_next(&parser)) > 0)
		r = parse_one(&parser, id, ret);
	options_done(&parser);
	return r < 0 ? OPTIONS_ERROR : id;
}

/* All runs of the command. */
struct runs {
	struct capture_wait wait; /* must stay the first member */
	const struct arguments *arguments;
	bool done;
	bool failed;                /* by us, or the command could not be started */
	int code;                   /* of ctprof */
	struct job_result *entries; /* owned */
	size_t count, capacity;
};

static void runs_done(struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		job_result_done(&runs->entries[i]);
	free(runs->entries);
}

static void report_not_started(const struct arguments *arguments, const struct job_result *result)
{
	/* A signal says nothing by itself. */
	if (result->error != -EINTR)
		cli_error("%s: %s", arguments->job.launch.argv[0], strerror(-result->error));
}

static void run_once(struct runs *runs)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct job_result *result = array_add(runs->entries, runs->count, runs->capacity);

	if (job_run(&runs->arguments->job, result, &reason) < 0) {
		cli_error("%s", strbuf_str(&reason));
		runs->failed = true;
		runs->code = CODE_FAILED;
		return;
	}
	if (!result->started) {
		report_not_started(runs->arguments, result);
		runs->failed = true;
	}
	if (runs->code == 0)
		runs->code = result->code;
}

static void run_all(struct runs *runs)
{
	runs->done = true;
	for (uint64_t i = 0; i < runs->arguments->repeats && !runs->failed; i++) {
		run_once(runs);
		/* A signal that ends one run is meant for all of them. */
		if (runs->entries[runs->count - 1].was_signalled)
			break;
	}
}

static int run_inside(struct capture_wait *self, uint64_t begin_ns, uint64_t end_ns)
{
	(void)begin_ns;
	(void)end_ns;
	run_all((struct runs *)self);
	return 0;
}

/* Runs the command between the two readings of a window. An error is reported, and the command is run all the same. */
static void keep_window(const struct arguments *arguments, struct runs *runs)
{
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	/* Done before its sink is. */
	cleanup_(snapshot_writer_freep) struct snapshot_writer *writer = NULL;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	const struct capture_window_options window = {
	        .capture = {.smaps = (enum capture_smaps)arguments->job.smaps},
	        .wait = &runs->wait,
	};
	int r = output_open(&output, arguments->output, OUTPUT_PRIVATE);

	if (r == 0) {
		writer = snapshot_writer_new(&output.sink, SNAPSHOT_ZSTD_LEVEL);
		r = capture_window(&window, writer, &info, &reason);
	}
	if (r == 0)
		r = output_commit(&output);
	if (r < 0 && reason.len > 0)
		cli_error("%s", strbuf_str(&reason));
	else if (r < 0)
		cli_error("%s: %s", arguments->output, output_reason(&output, r));
}

static void make_summary(const struct arguments *arguments, const struct runs *runs,
                         struct strbuf *out)
{
	cleanup_(mem_freep) char *directory = getcwd(NULL, 0);
	const struct job_report report = {
	        .argv = arguments->job.launch.argv,
	        .working_directory = directory,
	        .runs = runs->entries,
	        .count = runs->count,
	        .code = runs->code,
	};

	if (arguments->summary_format)
		job_format_add(arguments->summary_format, &report, out);
	else if (arguments->format == FORMAT_OBJECT)
		job_report_json(&report, out);
	else if (runs->count > 1)
		job_report_repeats(&report, out);
	else
		job_report_text(&report, out);
	if (arguments->summary_format && (out->len == 0 || out->data[out->len - 1] != '\n'))
		strbuf_add_char(out, '\n');
}

static void write_summary(const struct arguments *arguments, const struct strbuf *text)
{
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	int r = output_open(&output, arguments->summary, OUTPUT_PUBLIC);

	if (r == 0)
		r = output.sink.write(&output.sink, text->data, text->len);
	if (r == 0)
		r = output_commit(&output);
	if (r < 0)
		cli_error("%s: %s", arguments->summary, output_reason(&output, r));
}

static void summarize(const struct arguments *arguments, const struct runs *runs)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	bool is_plain = arguments->format == FORMAT_TEXT && !arguments->summary_format;

	make_summary(arguments, runs, &text);
	if (arguments->summary)
		write_summary(arguments, &text);
	else if (!arguments->quiet)
		text_print_lines(stderr, &text, is_plain ? WIDTH : 0);
}

static int check(const struct command *command, struct arguments *arguments, int given)
{
	if (given == 0)
		return cli_usage_error(command, "a command is missing");
	if (arguments->output && strcmp(arguments->output, "-") == 0)
		return cli_usage_error(command, "standard output is the command's: --output needs "
		                                "a file");
	if (arguments->output && arguments->output[0] == '\0')
		return cli_usage_error(command, "--output needs a name");
	if (arguments->summary_format && arguments->repeats > 1)
		return cli_usage_error(command, "--summary-format is for one run, not for "
		                                "--repeat");
	if (arguments->records && arguments->repeats > 1)
		return cli_usage_error(command, "--records is for one run, not for --repeat");
	if (arguments->records && arguments->sample_given &&
	    arguments->job.report_ns < arguments->job.sample_ns)
		return cli_usage_error(command, "--report is less than --sample");
	if (arguments->records && arguments->job.report_ns < arguments->job.sample_ns)
		arguments->job.sample_ns = arguments->job.report_ns;
	if (arguments->summary_format && arguments->format != FORMAT_TEXT)
		return cli_usage_error(command, "--summary-format is a format of its own");
	return EXIT_DONE;
}

/* Returns EXIT_DONE or CODE_FAILED. */
static int prepare_records(struct arguments *arguments, struct run_records *records)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	if (!arguments->records)
		return EXIT_DONE;
	if (run_records_init(records, arguments->records, arguments->job.launch.argv,
	                     arguments->job.report_ns, &reason) < 0) {
		cli_error("--records: %s", strbuf_str(&reason));
		return CODE_FAILED;
	}
	arguments->job.watcher = &records->watcher;
	return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {
	        .repeats = 1,
	        .job = {.sample_ns = NS_PER_SECOND, .report_ns = 60 * NS_PER_SECOND},
	};
	struct job_inherited inherited;
	cleanup_(runs_done) struct runs runs = {.wait = {run_inside}, .arguments = &arguments};
	cleanup_(run_records_done) struct run_records records = {0};
	int id;

	id = parse(command, argc, argv, &arguments);
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id) == EXIT_DONE ? EXIT_DONE : CODE_FAILED;
	if (id == OPTIONS_ERROR || check(command, &arguments, argc - optind) != EXIT_DONE)
		return CODE_FAILED;
	if (job_inherited_save(&inherited) < 0) {
		cli_error("the settings of signals cannot be read");
		return CODE_FAILED;
	}
	arguments.job.launch.argv = argv + optind;
	arguments.job.launch.inherited = &inherited;
	if (prepare_records(&arguments, &records) != EXIT_DONE)
		return CODE_FAILED;
	/* Names of cgroups are found a moment after a thread has ended. */
	if (arguments.output)
		arguments.job.linger_ns = 50 * NS_PER_MS;
	if (arguments.output)
		keep_window(&arguments, &runs);
	if (!runs.done)
		run_all(&runs);
	if (arguments.records && !runs.failed)
		run_records_finish(&records, &runs.entries[0]);
	if (!runs.failed)
		summarize(&arguments, &runs);
	return runs.code;
}

static const char *const other_names[] = {"exec", "time", "stat", NULL};

const struct command command_run = {
        .name = "run",
        .summary = "Run a command, and print what it and its descendants used",
        .other_names = other_names,
        .operands = "[--] COMMAND...",
        .operand_values = TAKES(FILE),
        .options = {options, NULL},
        .notes = notes,
        .launches = true,
        .status_out_of_memory = CODE_FAILED,
        .run = run,
};
