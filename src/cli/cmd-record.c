// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/duration.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "command/options.h"
#include "query/report-lists.h"
#include "record-serve.h"
#include "recorder/record-run.h"
#include "recorder/record-status.h"
#include "recorder/record-wait.h"
#include "recording/recording-survey.h"

enum {
	RECORD_EVERY = 1,
	RECORD_KEEP,
	RECORD_ANONYMOUS,
	RECORD_SOURCE,
	RECORD_SMAPS,
	RECORD_JEMALLOC,
	RECORD_EXITS,
	RECORD_STATUS,
	RECORD_ON,
	RECORD_SERVE,
	RECORD_SERVE_NETWORK,
	RECORD_SERVED_GROUPS,
	RECORD_SERVED_METRICS,
	RECORD_SERVED_TOP,
};

#define EVERY_DEFAULT_NS (10 * NS_PER_SECOND)
#define EVERY_MIN_NS (100 * NS_PER_MS)
#define EVERY_MAX_NS (3600 * NS_PER_SECOND)

static const char *const sources[] = {"auto", "procfs", "bpf", NULL};

static const char *const smaps[] = {"auto", "all", "off", NULL};

static const char *const jemalloc[] = {"auto", "ptrace", "off", NULL};

static const char *const exits[] = {"auto", "records", "off", NULL};

static const struct cli_option options[] = {
        {RECORD_EVERY, 'e', "every", "TIME", "length of a window: 1s, 10s (the default), 1m",
         TAKES(TEXT)},
        {RECORD_KEEP, 'k', "keep", "LIMIT", "remove what is older (24h) or too much (2G); twice",
         TAKES(TEXT)},
        {RECORD_ON, 0, "on", "TRIGGER", "dense windows: 'psi cpu some 150ms/1s', 'load > 4'",
         TAKES(TEXT)},
        {RECORD_SERVE, 0, "serve", "ADDR", "newest window by HTTP, for Prometheus; such as 9101",
         TAKES(TEXT)},
        {RECORD_SERVE_NETWORK, 0, "serve-network", NULL, "--serve may listen to other hosts",
         TAKES(NOTHING)},
        {RECORD_SERVED_GROUPS, 'g', "group-by", "KEYS",
         "what --serve groups by: pcomm (default), ...", TAKES(GROUP_KEYS)},
        {RECORD_SERVED_METRICS, 'm', "metrics", "LIST", "what --serve has: names or globs",
         TAKES(METRICS)},
        {RECORD_SERVED_TOP, 't', "top", "N", "the N groups that --serve has (50)", TAKES(NUMBER)},
        {RECORD_STATUS, 0, "status", NULL, "record nothing: print what DIR has, and its cost",
         TAKES(NOTHING)},
        {RECORD_ANONYMOUS, 0, "anonymous", NULL,
         "leave out host and user names, exe, kernel cmdline", TAKES(NOTHING)},
        {RECORD_SOURCE, 0, "source", "HOW", "how threads are read: auto, procfs, bpf",
         TAKES_WORD(sources)},
        {RECORD_EXITS, 0, "exits", "HOW", "ends of threads: auto, records (without BPF), off",
         TAKES_WORD(exits)},
        {RECORD_SMAPS, 0, "smaps", "WHICH", "smaps_rollup of processes: off, auto (not huge), all",
         TAKES_WORD(smaps)},
        {RECORD_JEMALLOC, 0, "jemalloc", "HOW", "counters of jemalloc: off, auto, ptrace (stops)",
         TAKES_WORD(jemalloc)},
        {0},
};

static const char *const notes[] = {
        "Each window begins where the one before ended. A file of DIR has the windows of",
        "an hour. SIGTERM and SIGINT write the running window and end; SIGHUP begins a",
        "file.",
        NULL,
};

static int parse_every(const struct option_parser *parser, uint64_t *ret_ns)
{
	if (!duration_parse(parser->value, ret_ns))
		return options_error(parser, "'%s' is not a time such as 1s, 10s or 1m",
		                     parser->value);
	if (*ret_ns < EVERY_MIN_NS || *ret_ns > EVERY_MAX_NS)
		return options_error(parser, "a window is between 100ms and 1h long, not '%s'",
		                     parser->value);
	return 0;
}

/* A number without a unit could be either. */
static int parse_keep(const struct option_parser *parser, struct recording_keep *keep)
{
	const char *value = parser->value;
	size_t len = strlen(value);
	uint64_t number;

	if (len > 0 && value[len - 1] >= '0' && value[len - 1] <= '9')
		return options_error(parser, "'%s' has no unit, such as 24h or 2G", value);
	if (duration_parse(value, &number) && number >= NS_PER_SECOND) {
		keep->seconds = number / NS_PER_SECOND;
		return 0;
	}
	if (list_size_parse(value, len, &number) && number > 0) {
		keep->bytes = number;
		return 0;
	}
	return options_error(parser, "'%s' is neither a time, such as 24h, nor a size, such as 2G",
	                     value);
}

static int parse_trigger(const struct option_parser *parser, struct record_options *ret)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(labels_done) struct labels labels = {0};
	struct trigger *trigger;

	if (ret->trigger_count == RECORD_TRIGGERS_MAX)
		return options_error(parser, "more than %d triggers", RECORD_TRIGGERS_MAX);
	trigger = array_add(ret->triggers, ret->trigger_count, ret->trigger_capacity);
	if (trigger_parse(parser->value, trigger, &reason) < 0 ||
	    labels_add(&labels, RECORDING_LABEL_TRIGGER, strlen(RECORDING_LABEL_TRIGGER),
	               trigger->text, strlen(trigger->text), &reason) < 0)
		return options_error(parser, "%s", strbuf_str(&reason));
	return 0;
}

static int parse_option(const struct option_parser *parser, int id, struct record_options *ret,
                        struct record_serve *serve)
{
	struct capture_options *capture = &ret->series.capture;
	int chosen = 0;

	switch (id) {
	case RECORD_EVERY:
		return parse_every(parser, &ret->series.length_ns);
	case RECORD_KEEP:
		return parse_keep(parser, &ret->keep);
	case RECORD_ON:
		return parse_trigger(parser, ret);
	case RECORD_STATUS:
		ret->status = true;
		break;
	case RECORD_SERVE:
		serve->address = parser->value;
		break;
	case RECORD_SERVE_NETWORK:
		serve->to_network = true;
		break;
	case RECORD_SERVED_GROUPS:
	case RECORD_SERVED_METRICS:
	case RECORD_SERVED_TOP:
		return record_serve_add(serve, parser);
	case RECORD_ANONYMOUS:
		capture->anonymous = true;
		break;
	case RECORD_SOURCE:
		chosen = options_choose(parser, sources);
		capture->source = (enum capture_source)chosen;
		break;
	case RECORD_EXITS:
		chosen = options_choose(parser, exits);
		ret->series.exits = (enum capture_exits)chosen;
		break;
	case RECORD_SMAPS:
		chosen = options_choose(parser, smaps);
		capture->smaps = (enum capture_smaps)chosen;
		break;
	case RECORD_JEMALLOC:
		chosen = options_choose(parser, jemalloc);
		capture->jemalloc = (enum jemalloc_mode)chosen;
		break;
	}
	return chosen;
}

static int parse(const struct command *command, int argc, char **argv, struct record_options *ret,
                 struct record_serve *serve)
{
	struct option_parser parser;
	int id, r = 0;

	options_init(&parser, command, argc, argv);
	while (r >= 0 && (id = options_next(&parser)) > 0)
		r = parse_option(&parser, id, ret, serve);
	options_done(&parser);
	return r < 0 ? OPTIONS_ERROR : id;
}

static void options_free(struct record_options *record)
{
	for (size_t i = 0; i < record->trigger_count; i++)
		trigger_done(&record->triggers[i]);
	free(record->triggers);
}

static int run(const struct command *command, int argc, char **argv)
{
	cleanup_(options_free) struct record_options record = {
	        .series = {.capture = {.smaps = CAPTURE_SMAPS_OFF, .jemalloc = JEMALLOC_MODE_OFF},
	                   .length_ns = EVERY_DEFAULT_NS},
	};
	cleanup_(record_serve_done) struct record_serve serve;
	int id, r;

	record_serve_init(&serve);
	id = parse(command, argc, argv, &record, &serve);

	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (argc - optind != 1 || argv[optind][0] == '\0')
		return cli_usage_error(command, "one directory is needed, not %d", argc - optind);
	record.directory = argv[optind];
	r = record_serve_settle(&serve, command, &record);
	if (r != 0)
		return r;
	if (record.status)
		return record_status_print(record.directory) < 0 ? EXIT_FAILED
		                                                 : cli_finish_output(0);
	return record_run(&record) < 0 ? EXIT_FAILED : EXIT_DONE;
}

static const char *const other_names[] = {"atop", "daemon", NULL};

const struct command command_record = {
        .name = "record",
        .summary = "Record windows that follow one another into a directory",
        .other_names = other_names,
        .operands = "DIR",
        .operand_values = TAKES(DIRECTORY),
        .options = {options, NULL},
        .notes = notes,
        .run = run,
};
