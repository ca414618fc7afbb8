// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "command/options.h"
#include "export/export-pcp.h"
#include "export/export-trace.h"
#include "fleet/chrome-trace.h"
#include "fleet/folded.h"
#include "query/report-lists.h"

enum {
	OPT_FORMAT = 1,
	OPT_LEVEL,
	OPT_GROUP_BY,
	OPT_METRICS,
	OPT_CSV_RAW,
	OPT_OUTPUT,
	OPT_READ_LIMIT,
};

enum { FORMAT_NDJSON, FORMAT_CSV, FORMAT_FOLDED, FORMAT_CHROME, FORMAT_PCP };
static const char *const formats[] = {"ndjson", "csv", "folded", "chrome", "pcp", NULL};
enum { LEVEL_GROUP, LEVEL_THREAD };
static const char *const levels[] = {"group", "thread", NULL};

static const struct cli_option options[] = {
        {OPT_FORMAT, 'f', "format", "FORMAT", "ndjson (default), csv, folded, chrome or pcp",
         TAKES_WORD(formats)},
        {OPT_LEVEL, 0, "level", "LEVEL", "a row of each group (default) or thread",
         TAKES_WORD(levels)},
        {OPT_GROUP_BY, 'g', "group-by", "KEYS", "a set of keys; repeated: rows of each set",
         TAKES(GROUP_KEYS)},
        {OPT_METRICS, 'm', "metrics", "LIST", "metrics, globs, aspects; default: all",
         TAKES(METRICS)},
        {OPT_CSV_RAW, 0, "csv-raw", NULL, "in csv, leave what looks like a formula as it is",
         TAKES(NOTHING)},
        {OPT_OUTPUT, 'o', "output", "ARCHIVE", "pcp: write ARCHIVE.0, .index and .meta",
         TAKES(FILE)},
        {OPT_READ_LIMIT, 0, "read-limit", "LIST", "caps on reading: bytes=16G,threads=4M,...",
         TAKES_WORDS(report_caps)},
        {0},
};

static const char *const notes[] = {
        "Without --group-by there are two sets: pcomm, and cgroup:service. Folded stacks",
        "are of cgroup,pcomm,comm and run_time_ns; of two files, they have two columns.",
        "A trace for Perfetto (chrome), or an archive of Performance Co-Pilot (pcp), is",
        "of pcomm and run_time_ns, window by window.",
        NULL,
};

struct arguments {
	struct export_plan plan;
	bool metrics_given;
	int format, level;
	bool csv_raw;
	const char *archive;
};

static int set_option(const struct option_parser *parser, int id, struct arguments *ret)
{
	switch (id) {
	case OPT_FORMAT:
		return ret->format = options_choose(parser, formats);
	case OPT_LEVEL:
		return ret->level = options_choose(parser, levels);
	case OPT_GROUP_BY:
		return export_add_keys(parser, &ret->plan);
	case OPT_METRICS:
		ret->metrics_given = true;
		return export_set_metrics(parser, &ret->plan);
	case OPT_CSV_RAW:
		ret->csv_raw = true;
		return 0;
	case OPT_OUTPUT:
		ret->archive = parser->value;
		return 0;
	default:
		return list_read_limits(parser, &ret->plan.limits);
	}
}

static int parse(const struct command *command, int argc, char **argv, struct arguments *ret)
{
	struct option_parser parser;
	int id, r = 0;

	export_plan_init(&ret->plan);
	options_init(&parser, command, argc, argv);
	while (r >= 0 && (id = options_next(&parser)) > 0)
		r = set_option(&parser, id, ret);
	options_done(&parser);
	return r < 0 ? OPTIONS_ERROR : id;
}

struct printer {
	struct fleet_sink sink; /* must stay the first member */
	const struct arguments *arguments;
	struct strbuf line;
};

static int print_row(struct fleet_sink *sink, const struct fleet_row *row)
{
	struct printer *printer = (struct printer *)sink;

	if (printer->arguments->format == FORMAT_CSV)
		fleet_print_csv(stdout, row, printer->arguments->csv_raw);
	else
		fleet_print_ndjson(stdout, row, &printer->line);
	/* The reason of the last call, which has failed. */
	return !ferror(stdout) ? 0 : errno > 0 ? -errno : -EIO;
}

static const char *shown(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static int print_file(const struct arguments *arguments, const char *path, struct fleet_sink *sink)
{
	cleanup_(snapshot_file_done) struct snapshot_file file = SNAPSHOT_FILE_INIT;
	int r = snapshot_file_open(&file, path, &arguments->plan.limits);

	if (r == 0 && arguments->level == LEVEL_THREAD)
		r = export_threads(&arguments->plan, &file, sink);
	else if (r == 0)
		r = export_groups(&arguments->plan, &file, sink);
	if (r < 0 && !ferror(stdout))
		cli_error("%s: %s", shown(path), snapshot_file_reason(&file, r));
	return r;
}

static int print_files(const struct arguments *arguments, char **paths)
{
	struct printer printer = {.sink = {print_row}, .arguments = arguments};
	int r = 0;

	if (arguments->format == FORMAT_CSV)
		fleet_print_csv_head(stdout);
	for (; r == 0 && *paths; paths++)
		r = print_file(arguments, *paths, &printer.sink);
	strbuf_done(&printer.line);
	return r;
}

static int read_folded(const struct export_plan *plan, const char *path,
                       struct fleet_groups *groups)
{
	cleanup_(snapshot_file_done) struct snapshot_file file = SNAPSHOT_FILE_INIT;
	cleanup_(snapshot_info_done) struct snapshot_info info = {0};
	int r = snapshot_file_open(&file, path, &plan->limits);

	if (r == 0)
		r = export_group(plan, &file, &info, groups);
	if (r < 0)
		cli_error("%s: %s", shown(path), snapshot_file_reason(&file, r));
	return r;
}

static enum metric_id only_metric(const struct metric_set *set)
{
	unsigned i = 0;

	while (!metric_set_has(set, (enum metric_id)i))
		i++;
	return (enum metric_id)i;
}

static int print_folded(const struct arguments *arguments, char **paths, unsigned count)
{
	struct fleet_groups groups[2] = {0};
	const struct fleet_groups *const tables[] = {&groups[0], &groups[1]};
	enum metric_id metric = only_metric(&arguments->plan.wanted);
	struct folded_counts counts = {0};
	int r = 0;

	for (unsigned i = 0; r == 0 && i < count; i++)
		r = read_folded(&arguments->plan, paths[i], &groups[i]);
	if (r == 0)
		counts = folded_print(stdout, tables, count, metric);
	if (counts.unseen > 0)
		cli_error("%zu groups are left out: %s was not seen in them", counts.unseen,
		          metric_table[metric].name);
	if (counts.partial > 0)
		cli_error("groups with a value of %s that lacks some of their threads: %zu",
		          metric_table[metric].name, counts.partial);
	for (unsigned i = 0; i < 2; i++)
		fleet_groups_done(&groups[i]);
	return r;
}

static bool is_one_metric(const struct metric_set *set)
{
	unsigned count = 0;

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		count += metric_set_has(set, (enum metric_id)i);
	return count == 1 && metric_table[only_metric(set)].rule == RULE_SUM;
}

/* Their values are work, of which a time has a rate. */
static bool are_counters(const struct metric_set *set)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_set_has(set, (enum metric_id)i) && !metric_is_counter((enum metric_id)i))
			return false;
	return true;
}

static void set_default_metric(struct arguments *arguments)
{
	if (arguments->metrics_given)
		return;
	arguments->plan.wanted = (struct metric_set){{0}};
	metric_set_add(&arguments->plan.wanted, METRIC_run_time_ns);
}

static void set_folded_defaults(struct arguments *arguments)
{
	static const enum group_key stack[] = {GROUP_KEY_cgroup, GROUP_KEY_pcomm, GROUP_KEY_comm};
	struct export_plan *plan = &arguments->plan;

	if (!plan->keys_given) {
		plan->key_count = 1;
		plan->keys[0].count = ARRAY_SIZE(stack);
		memcpy(plan->keys[0].keys, stack, sizeof(stack));
	}
	set_default_metric(arguments);
}

static int run_folded(const struct command *command, struct arguments *arguments, char **paths,
                      unsigned count)
{
	if (arguments->level == LEVEL_THREAD)
		return cli_usage_error(command, "--format folded is of groups, not of threads");
	if (count > 2)
		return cli_usage_error(command, "--format folded takes one or two files, not %u",
		                       count);
	set_folded_defaults(arguments);
	if (arguments->plan.key_count != 1)
		return cli_usage_error(command, "--format folded takes one set of keys");
	if (!is_one_metric(&arguments->plan.wanted))
		return cli_usage_error(command,
		                       "--format folded takes one metric, whose rule is sum");
	if (print_folded(arguments, paths, count) < 0)
		return EXIT_FAILED;
	return cli_finish_output(0);
}

static int print_trace(const struct arguments *arguments, char **paths)
{
	cleanup_(chrome_trace_done) struct chrome_trace trace;
	int r = 0;

	chrome_trace_begin(&trace, stdout, &arguments->plan.wanted);
	for (; r == 0 && *paths; paths++)
		r = export_trace(&arguments->plan, *paths, &trace.writer);
	if (r < 0)
		return r;
	chrome_trace_end(&trace);
	export_say_missing(&trace.writer.rates);
	return 0;
}

static int run_trace(const struct command *command, struct arguments *arguments, char **paths)
{
	const char *format = formats[arguments->format];
	int r;

	if (arguments->level == LEVEL_THREAD)
		return cli_usage_error(command, "--format %s is of groups, not of threads", format);
	if (!arguments->plan.keys_given)
		arguments->plan.key_count = 1;
	if (arguments->plan.key_count != 1)
		return cli_usage_error(command, "--format %s takes one set of keys", format);
	set_default_metric(arguments);
	if (!are_counters(&arguments->plan.wanted))
		return cli_usage_error(command, "--format %s takes metrics that have a rate",
		                       format);
	if (arguments->format == FORMAT_PCP)
		return export_pcp(&arguments->plan, paths, arguments->archive);
	r = print_trace(arguments, paths);
	if (r < 0 && !ferror(stdout))
		return EXIT_FAILED;
	return cli_finish_output(-r);
}

static int check_streams(const struct command *command, char **paths, int count)
{
	for (int i = 0; i < count; i++)
		for (int other = 0; other < i; other++)
			if (fd_source_is_one_stream(paths[i], paths[other]))
				return cli_usage_error(command,
				                       "only one snapshot can come from standard "
				                       "input, or from one pipe");
	return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {0};
	int id = parse(command, argc, argv, &arguments), given = argc - optind, r;

	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (given == 0)
		return cli_usage_error(command, "a snapshot is needed");
	if ((arguments.archive != NULL) != (arguments.format == FORMAT_PCP))
		return cli_usage_error(command,
		                       "--format pcp and --output ARCHIVE belong together");
	if (check_streams(command, argv + optind, given) != EXIT_DONE)
		return EXIT_USAGE;
	if (!export_has_metrics(&arguments.plan))
		return EXIT_FAILED;
	mem_limit(arguments.plan.limits.memory);
	if (arguments.format == FORMAT_FOLDED)
		return run_folded(command, &arguments, argv + optind, (unsigned)given);
	if (arguments.format == FORMAT_CHROME || arguments.format == FORMAT_PCP)
		return run_trace(command, &arguments, argv + optind);
	r = print_files(&arguments, argv + optind);
	if (r < 0 && !ferror(stdout))
		return EXIT_FAILED;
	return cli_finish_output(-r);
}

static const char *const other_names[] = {"dump", "convert", "facts", "flamegraph", NULL};

const struct command command_export = {
        .name = "export",
        .summary = "Print snapshots as rows for databases",
        .other_names = other_names,
        .operands = "SNAPSHOT...",
        .operand_values = TAKES(SNAPSHOT),
        .options = {options, NULL},
        .notes = notes,
        .run = run,
};
