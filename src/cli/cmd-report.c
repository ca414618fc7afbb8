// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "base/text.h"
#include "cli/commands.h"
#include "input/fd-source.h"
#include "overview/overview.h"
#include "page/page.h"
#include "query/explain-group.h"
#include "query/report-options.h"
#include "report-kinds.h"

enum {
	OPT_OUTPUT = 1,
	OPT_FORMAT,
	OPT_CHART,
	OPT_GROUP_BY,
	OPT_LIMIT,
	OPT_NO_THREAD_NORMALIZE,
	OPT_NO_CG_NORMALIZE,
	OPT_SELF,
	OPT_READ_LIMIT,
};

enum format { FORMAT_HTML, FORMAT_SVG };
static const char *const formats[] = {"html", "svg", NULL};

/* The states, and the tree by each aspect that is a time; then those of an experiment, of a recording, and of a job. */
static const char *const charts[] = {"states", "cpu",   "wait", "blocked",   "effects",
                                     "blocks", "lines", "heat", "processes", NULL};
static const char *const snapshot_charts[] = {"states", "cpu", "wait", "blocked", NULL};

static const struct cli_option options[] = {
        {OPT_OUTPUT, 'o', "output", "FILE", "write the report to FILE, - for standard output",
         TAKES(FILE)},
        {OPT_FORMAT, 'f', "format", "FORMAT", "html (default), svg: one chart",
         TAKES_WORD(formats)},
        {OPT_CHART, 0, "chart", "CHART", "of svg: states, cpu, wait, blocked, lines, heat, ...",
         TAKES_WORD(charts)},
        {OPT_GROUP_BY, 'g', "group-by", "KEYS", "pcomm (default), comm, cgroup, user, all, ...",
         TAKES(GROUP_KEYS)},
        {OPT_LIMIT, 'n', "limit", "N", "at most N rows in the first table, 0 for all (15)",
         TAKES(NUMBER)},
        {OPT_NO_THREAD_NORMALIZE, 0, "no-thread-normalize", NULL,
         "keep worker-1 and worker-2 apart", TAKES(NOTHING)},
        {OPT_NO_CG_NORMALIZE, 0, "no-cg-normalize", NULL, "keep cgroups a@1 and a@2 apart",
         TAKES(NOTHING)},
        {OPT_SELF, 0, "self", NULL, "rank ctprof itself in the overview", TAKES(NOTHING)},
        {OPT_READ_LIMIT, 0, "read-limit", "LIST", "caps on reading: bytes=16G,threads=4M,...",
         TAKES_WORDS(report_caps)},
        {0},
};

static const char *const notes[] = {
        "The report is one file that needs nothing else, for people who have no ctprof.",
        "It names the programs of all users. An existing FILE is only replaced by a whole",
        "report.",
        NULL,
};

struct arguments {
	const char *output;
	int format; /* enum format */
	int chart;  /* of charts; -1: none is named */
	char **paths;
	unsigned count;
	struct report_options report; /* of the overview */
	struct strbuf overview, tree; /* command lines, safe to print */
	struct strbuf states, limit;
	/* The section about the time of a recording, and the window over its range; empty for what is none. */
	struct strbuf time;
	struct memory_stream whole;
	struct strbuf out;
};

static void arguments_done(struct arguments *arguments)
{
	report_options_done(&arguments->report);
	strbuf_done(&arguments->overview);
	strbuf_done(&arguments->tree);
	strbuf_done(&arguments->states);
	strbuf_done(&arguments->limit);
	strbuf_done(&arguments->time);
	memory_stream_done(&arguments->whole);
	strbuf_done(&arguments->out);
}

static int parse_option(const struct option_parser *parser, int id, struct arguments *arguments)
{
	int chosen = 0;

	switch (id) {
	case OPT_OUTPUT:
		arguments->output = parser->value;
		break;
	case OPT_FORMAT:
		chosen = arguments->format = options_choose(parser, formats);
		break;
	case OPT_CHART:
		chosen = arguments->chart = options_choose(parser, charts);
		break;
	case OPT_GROUP_BY:
		return list_group_keys(parser, &arguments->report.by);
	case OPT_LIMIT:
		arguments->report.limit_given = true;
		return list_limit(parser, &arguments->report.limit);
	case OPT_NO_THREAD_NORMALIZE:
		arguments->report.by.literal_names = true;
		break;
	case OPT_NO_CG_NORMALIZE:
		arguments->report.by.literal_cgroups = true;
		break;
	case OPT_SELF:
		arguments->report.with_own = true;
		break;
	case OPT_READ_LIMIT:
		return list_read_limits(parser, &arguments->report.limits);
	}
	return chosen;
}

static int parse(const struct command *command, int argc, char **argv, struct arguments *arguments)
{
	struct option_parser parser;
	int id, r = 0;

	options_init(&parser, command, argc, argv);
	while (r >= 0 && (id = options_next(&parser)) > 0)
		r = parse_option(&parser, id, arguments);
	options_done(&parser);
	return r < 0 ? OPTIONS_ERROR : id;
}

static void make_commands(struct arguments *arguments)
{
	const char *command = arguments->count == 1 ? "ctprof show" : "ctprof compare";

	strbuf_add_str(&arguments->tree, command);
	for (unsigned i = 0; i < arguments->count; i++)
		report_add_word(&arguments->tree, arguments->paths[i]);
	strbuf_add(&arguments->overview, arguments->tree.data, arguments->tree.len);
	report_add_grouping(&arguments->report, true, &arguments->overview);
	report_add_grouping(&arguments->report, false, &arguments->tree);
	if (!arguments->report.with_own)
		strbuf_add_str(&arguments->tree, " --self");
	if (arguments->report.limit_given)
		strbuf_addf(&arguments->limit, " --limit %zu", arguments->report.limit);
}

/* States of an interval are those of its window, and not of the lives of its threads. */
static void make_states_command(struct arguments *arguments, bool is_interval)
{
	if (is_interval) {
		strbuf_add_str(&arguments->states, "ctprof window");
		for (unsigned i = 0; i < arguments->count; i++)
			report_add_word(&arguments->states, arguments->paths[i]);
		strbuf_add_str(&arguments->states, " -o - | ctprof show -");
		report_add_grouping(&arguments->report, true, &arguments->states);
	} else {
		strbuf_add(&arguments->states, arguments->overview.data, arguments->overview.len);
	}
	strbuf_addf(&arguments->states, " --sections state --limit 0%s",
	            arguments->count == SIDE_MAX && !is_interval ? " --unchanged" : "");
}

static struct page_command command_of(const struct arguments *arguments)
{
	return (struct page_command){strbuf_str(&arguments->overview),
	                             strbuf_str(&arguments->limit), strbuf_str(&arguments->states),
	                             strbuf_str(&arguments->tree)};
}

static int add_first(const struct report *report, void *context)
{
	struct arguments *arguments = context;
	struct page_command command;

	if (arguments->format == FORMAT_SVG) {
		page_add_states_svg(report, &arguments->out);
		return EXIT_DONE;
	}
	make_states_command(arguments, report->interval != NULL);
	command = command_of(arguments);
	page_begin(report, &arguments->out);
	page_add_overview(report, &command, &arguments->out);
	strbuf_add(&arguments->out, arguments->time.data, arguments->time.len);
	page_add_states(report, &command, &arguments->out);
	return EXIT_DONE;
}

static int add_tree(const struct report *report, void *context)
{
	struct arguments *arguments = context;
	struct page_command command = command_of(arguments);
	const char *name;

	if (arguments->format == FORMAT_HTML) {
		page_add_icicles(report, &command, &arguments->out);
		page_end(&arguments->out);
		return EXIT_DONE;
	}
	name = charts[arguments->chart];
	if (page_add_icicle_svg(report, aspect_find(name, strlen(name)), &arguments->out))
		return EXIT_DONE;
	cli_error("no time of '%s' was seen", name);
	return EXIT_FAILED;
}

/* Reads the files, or the window that was made of a recording. */
static int visit(struct arguments *arguments, const struct report_options *asked,
                 report_visitor *visitor)
{
	cleanup_(strbuf_done) struct strbuf error = STRBUF_INIT;
	int r;

	if (arguments->whole.bytes.len == 0)
		return report_visit(asked, arguments->paths, arguments->count, visitor, arguments);
	arguments->whole.position = 0;
	r = report_visit_source(asked, arguments->paths[0], &arguments->whole.source, &error,
	                        visitor, arguments);
	if (r == 0)
		return EXIT_DONE;
	cli_error("%s: %s", arguments->paths[0], error.len > 0 ? strbuf_str(&error) : strerror(-r));
	return EXIT_FAILED;
}

/* Reads the files once more: a tree has other groups, and all of them. */
static int visit_tree(struct arguments *arguments)
{
	cleanup_(report_options_done) struct report_options tree;

	report_options_init(&tree, arguments->count);
	tree.page = true;
	tree.with_own = true;
	tree.limits = arguments->report.limits;
	tree.by.tree = &group_tree_table[0];
	tree.by.count = group_tree_table[0].count;
	memcpy(tree.by.keys, group_tree_table[0].keys, sizeof(tree.by.keys));
	tree.by.literal_names = arguments->report.by.literal_names;
	tree.by.literal_cgroups = arguments->report.by.literal_cgroups;
	tree.sort.aspect = ASPECT_cpu;
	report_options_finish_overview(&tree);
	return visit(arguments, &tree, add_tree);
}

static int write_out(const struct arguments *arguments)
{
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	int r = output_open(&output, arguments->output, OUTPUT_PUBLIC);

	if (r == 0)
		r = output.sink.write(&output.sink, arguments->out.data, arguments->out.len);
	if (r == 0)
		r = output_commit(&output);
	if (r == 0)
		return EXIT_DONE;
	cli_error("%s: %s",
	          strcmp(arguments->output, "-") == 0 ? "standard output" : arguments->output,
	          output_reason(&output, r));
	return EXIT_FAILED;
}

static int make(struct arguments *arguments)
{
	bool html = arguments->format == FORMAT_HTML;
	int status = EXIT_DONE;

	make_commands(arguments);
	arguments->report.page = true;
	report_options_finish_overview(&arguments->report);
	if (html || arguments->chart == 0)
		status = visit(arguments, &arguments->report, add_first);
	if (status == EXIT_DONE && (html || arguments->chart > 0))
		status = visit_tree(arguments);
	return status == EXIT_DONE ? write_out(arguments) : status;
}

/* Returns whether the path is standard input, a pipe or the like, which can be read only once. */
static bool is_stream(const char *path)
{
	struct stat status;

	return strcmp(path, "-") == 0 ||
	       (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

static bool has_word(const char *const *words, const char *word)
{
	for (; *words; words++)
		if (strcmp(*words, word) == 0)
			return true;
	return false;
}

/* Another kind than snapshots: what makes its page, and its charts. */
struct kind {
	bool (*is_of)(const char *path);
	int (*add)(const struct report_call *call);
	const char *const *charts;
	const char *name;
};

static const struct kind kinds[] = {
        {report_is_experiment, report_experiment, report_experiment_charts, "an experiment"},
        {report_is_job, report_job, report_job_charts, "a job"},
};

/* A recording has the charts of a snapshot as well: its page is that of a window, with a section about its time. */
static const struct kind recording = {report_is_recording, report_recording,
                                      report_recording_charts, "a recording"};

static const struct kind *kind_of(const struct arguments *arguments)
{
	for (size_t i = 0; arguments->count == 1 && i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].is_of(arguments->paths[0]))
			return &kinds[i];
	return NULL;
}

static int make_kind(const struct kind *kind, struct arguments *arguments)
{
	struct report_call call = {
	        .path = arguments->paths[0], .options = &arguments->report, .out = &arguments->out};
	int status;

	if (arguments->chart >= 0)
		call.chart = charts[arguments->chart];
	arguments->report.page = true;
	report_options_finish_overview(&arguments->report);
	status = kind->add(&call);
	return status == EXIT_DONE ? write_out(arguments) : status;
}

static int make_recording(struct arguments *arguments)
{
	struct report_call call = {.path = arguments->paths[0],
	                           .options = &arguments->report,
	                           .out = &arguments->time,
	                           .whole = &arguments->whole};
	int status;

	arguments->whole = memory_stream_make();
	status = report_recording(&call);
	return status == EXIT_DONE ? make(arguments) : status;
}

static int check_chart(const struct arguments *arguments, const struct kind *kind)
{
	const char *const *own = kind ? kind->charts : snapshot_charts;

	if (arguments->chart < 0 || has_word(own, charts[arguments->chart]))
		return EXIT_DONE;
	cli_error("%s: %s has no chart '%s'", arguments->paths[0], kind ? kind->name : "a snapshot",
	          charts[arguments->chart]);
	return EXIT_FAILED;
}

static int run(const struct command *command, int argc, char **argv)
{
	cleanup_(arguments_done) struct arguments arguments = {.chart = -1};
	const struct kind *kind;
	bool is_recording;
	int id, given, status;

	report_options_init(&arguments.report, SIDE_MAX);
	id = parse(command, argc, argv, &arguments);
	given = argc - optind;
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (given != 1 && given != SIDE_MAX)
		return cli_usage_error(command, "one snapshot or two are needed, not %d", given);
	for (int i = optind; i < argc; i++)
		if (is_stream(argv[i]))
			return cli_usage_error(
			        command, "'%s' is no file: snapshots are read twice here", argv[i]);
	if (!arguments.output || arguments.output[0] == '\0')
		return cli_usage_error(command, "--output is missing");
	if (strcmp(arguments.output, "-") == 0 && isatty(STDOUT_FILENO))
		return cli_usage_error(command, "a report is not written to a terminal");
	if ((arguments.format == FORMAT_SVG) != (arguments.chart >= 0))
		return cli_usage_error(command, arguments.chart >= 0
		                                        ? "--chart is for --format svg"
		                                        : "--chart is missing: a file has one");
	arguments.paths = argv + optind;
	arguments.count = arguments.report.sides = (unsigned)given;
	kind = kind_of(&arguments);
	is_recording = !kind && arguments.count == 1 && report_is_recording(argv[optind]);
	if (is_recording && arguments.chart >= 0 &&
	    has_word(report_recording_charts, charts[arguments.chart]))
		kind = &recording;
	status = check_chart(&arguments, kind);
	if (status != EXIT_DONE)
		return status;
	if (is_recording && arguments.format == FORMAT_HTML)
		return make_recording(&arguments);
	return kind ? make_kind(kind, &arguments) : make(&arguments);
}

static const char *const other_names[] = {"html", "page", "svg", "chart", NULL};

const struct command command_report = {
        .name = "report",
        .summary = "Draw snapshots, a recording, a job, an experiment as a page",
        .other_names = other_names,
        .operands = "SNAPSHOT [SNAPSHOT] | DIR[@RANGE]",
        .operand_values = TAKES(SNAPSHOT),
        .options = {options, NULL},
        .notes = notes,
        .run = run,
};
