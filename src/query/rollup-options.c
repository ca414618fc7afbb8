// SPDX-License-Identifier: GPL-2.0-or-later
#include "rollup-options.h"
#include "machine/report-machine.h"
#include "query/selection-options.h"
#include "report-option-table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "choices.h"
#include "report/report-rollup.h"

enum {
	ROLLUP_CWD,
	ROLLUP_EXE,
	ROLLUP_CGROUP,
	ROLLUP_PARENT,
	ROLLUP_BASES,
	ROLLUP_DEPTH = ROLLUP_BASES,
	ROLLUP_SHARE
};
const char *const report_rollup_words[] = {
        [ROLLUP_CWD] = "cwd",       [ROLLUP_EXE] = "exe",      [ROLLUP_CGROUP] = "cgroup",
        [ROLLUP_PARENT] = "parent", [ROLLUP_DEPTH] = "depth=", [ROLLUP_SHARE] = "share=",
        [ROLLUP_SHARE + 1] = NULL};
static const enum group_key bases[ROLLUP_BASES] = {GROUP_KEY_cwd, GROUP_KEY_exe, GROUP_KEY_cgroup,
                                                   GROUP_KEY_pid};

/* Tables leave out directories below this part of the host. */
#define SHARE_PERCENT 1.0

/* Reads "12" or "0.5": digits, and at most one point. */
static bool parse_percent(struct span text, double *ret)
{
	char number[32], *end;

	if (text.len == 0 || text.len >= sizeof(number))
		return false;
	memcpy(number, text.text, text.len);
	number[text.len] = '\0';
	if (strspn(number, "0123456789.") != text.len)
		return false;
	*ret = strtod(number, &end);
	return *end == '\0' && *ret <= 100;
}

static bool parse_word(struct span word, struct rollup_choice *rollup)
{
	const char *depth = report_rollup_words[ROLLUP_DEPTH];
	const char *share = report_rollup_words[ROLLUP_SHARE];
	uint64_t number;

	for (unsigned i = 0; i < ROLLUP_BASES; i++)
		if (span_is(word, report_rollup_words[i])) {
			rollup->key = bases[i];
			rollup->given = true;
			return true;
		}
	if (word.len > strlen(depth) && memcmp(word.text, depth, strlen(depth)) == 0) {
		if (!scan_u64(word.text + strlen(depth), word.len - strlen(depth), &number) ||
		    number == 0 || number > UINT32_MAX)
			return false;
		rollup->options.depth = number;
		return true;
	}
	if (word.len <= strlen(share) || memcmp(word.text, share, strlen(share)) != 0)
		return false;
	rollup->share_given = true;
	return parse_percent((struct span){word.text + strlen(share), word.len - strlen(share)},
	                     &rollup->options.least_percent);
}

void rollup_choose_parent(struct report_options *options)
{
	options->rollup = (struct rollup_choice){.key = GROUP_KEY_pid,
	                                         .given = true,
	                                         .options.least_percent = SHARE_PERCENT,
	                                         .other = options->rollup.other};
}

int rollup_parse(const struct option_parser *parser, struct report_options *options)
{
	const char *at = parser->value;

	options->rollup = (struct rollup_choice){.options.least_percent = SHARE_PERCENT,
	                                         .other = options->rollup.other};
	for (;;) {
		struct span word = {at, strcspn(at, ",")};

		if (!parse_word(word, &options->rollup))
			return options_error(
			        parser,
			        "'%.*s' is not cwd, exe, cgroup, parent, depth= and a number, "
			        "or share= and percent of the host",
			        (int)word.len, word.text);
		at += word.len;
		if (*at == '\0')
			break;
		at++;
	}
	if (!options->rollup.given)
		return options_error(parser, "one of cwd, exe, cgroup and parent is missing");
	return 0;
}

void rollup_note(struct report_options *options, int id, const char *name)
{
	static const int of_use[] = {
	        OPT_ROLLUP,
	        OPT_TREE,
	        OPT_METRICS,
	        OPT_PER,
	        OPT_LIMIT,
	        OPT_ROWS_FORMAT,
	        OPT_SHOW_FORMAT,
	        OPT_CSV_RAW,
	        OPT_COLOR,
	        OPT_WRAP,
	        OPT_NO_PAGER,
	        OPT_NO_CG_NORMALIZE,
	        OPT_CGROUP_FLATTEN,
	        OPT_READ_LIMIT,
	        OPT_VERBOSE,
	        OPT_BATCH,
	        OPT_EVERY,
	        OPT_CYCLES,
	        OPT_CYCLE_FORMAT,
	        OPT_SELECTION + SELECTION_PID,
	        OPT_SELECTION + SELECTION_TGID,
	        OPT_SELECTION + SELECTION_COMM,
	        OPT_SELECTION + SELECTION_CGROUP,
	        OPT_SHOW_EXITS,
	        OPT_SHOW_CPUS,
	        OPT_MEMORY,
	        OPT_CONTAINERS,
	};

	for (size_t i = 0; i < ARRAY_SIZE(of_use); i++)
		if (of_use[i] == id)
			return;
	if (!options->rollup.other)
		options->rollup.other = name;
}

/* Returns the first listed measure that cannot be added up, or MEASURE_COUNT. */
static unsigned find_unaddable(const struct report_options *options)
{
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		if (options->rows.measures[i] && !rollup_can_add(i))
			return i;
	return MEASURE_COUNT;
}

int rollup_settle(struct report_options *options, const struct command *command)
{
	bool people = options->format == FORMAT_TABLE || options->format == FORMAT_MARKDOWN;
	struct rollup_choice *rollup = &options->rollup;
	struct group_by by = group_by_key(rollup->key, false);
	unsigned wrong = rollup->metrics_given ? find_unaddable(options) : MEASURE_COUNT;
	int r = 0;

	if (!rollup->given)
		return 0;
	if (rollup->other)
		r = cli_usage_error(command, "--rollup has no use for --%s", rollup->other);
	else if (options->format == FORMAT_PROMETHEUS || options->format == FORMAT_OPENMETRICS)
		r = cli_usage_error(command, "--rollup has no form for Prometheus");
	else if (wrong < MEASURE_COUNT)
		r = cli_usage_error(command, "--rollup: %s is no amount that adds up",
		                    measure_name(wrong));
	if (r != 0)
		return -1;
	by.literal_cgroups = options->by.literal_cgroups;
	by.flatten = options->by.flatten;
	by.flatten_count = options->by.flatten_count;
	options->by = by;
	rollup->options.whole_paths = !people;
	if (!people && !rollup->share_given)
		rollup->options.least_percent = 0;
	memset(options->facts.sections, false, sizeof(options->facts.sections));
	return 0;
}

/* Without --metrics it is CPU time: in a window the rate, else that of the threads' lives. */
static void choose_measures(const struct report_options *options, const struct row_set *set,
                            bool measures[MEASURE_COUNT])
{
	bool window = set->frames[0].kind == KIND_window;

	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		measures[i] = options->rollup.metrics_given && options->rows.measures[i];
	if (!options->rollup.metrics_given)
		measures[window ? METRIC_COUNT + (unsigned)DERIVED_cpu_percent
		                : (unsigned)METRIC_run_time_ns] = true;
}

/* These formats have no place for what is not a row. */
static void note_left_out(const struct report_rollup *of)
{
	size_t left_out = report_rollup_left_out(of);

	if (left_out > 0)
		cli_error("%zu more row%s (--limit 0 shows all)", left_out,
		          left_out == 1 ? "" : "s");
}

static void print(FILE *file, const struct report *report, const struct report_rollup *of,
                  enum report_format format)
{
	switch (format) {
	case FORMAT_TABLE:
	case FORMAT_MARKDOWN:
		report_rollup_table(file, report, of);
		break;
	case FORMAT_CSV:
		report_rollup_csv(file, report, of);
		note_left_out(of);
		break;
	case FORMAT_JSON:
		report_rollup_json(file, report, of, false);
		break;
	case FORMAT_NDJSON:
		report_rollup_json(file, report, of, true);
		note_left_out(of);
		break;
	case FORMAT_PROMETHEUS:
	case FORMAT_OPENMETRICS:
		break; /* refused before */
	}
}

static bool has_whole_paths(enum report_format format)
{
	return format != FORMAT_TABLE && format != FORMAT_MARKDOWN;
}

/* Measures have the same rows. */
static int check_length(const struct report_options *options, const struct report_rollup *of,
                        const char *path)
{
	const struct rollup *tree = &of->trees[0];

	if (of->count == 0 || !has_whole_paths(options->format) || !rollup_is_too_long(tree))
		return 0;
	cli_error("%s: the tree has %zu directories, whose paths have %" PRIu64
	          " MiB: --rollup %s,depth=20 ends it after 20 levels",
	          path, tree->tree.count, tree->path_bytes >> 20, of->name);
	return -E2BIG;
}

int rollup_print(FILE *file, const struct report_options *options, const struct load *loads,
                 unsigned count, const struct report *report)
{
	const struct group_table *tables[SIDE_MAX] = {&loads[0].groups, &loads[count - 1].groups};
	const struct host *const hosts[SIDE_MAX] = {&loads[0].info.host,
	                                            &loads[count - 1].info.host};
	struct row_options row_options = options->rows;
	cleanup_(id_list_done) struct id_list first = {0}, last = {0};
	struct id_list *const ids[SIDE_MAX] = {&first, &last};
	cleanup_(row_set_done) struct row_set set = {0};
	bool measures[MEASURE_COUNT];
	struct rollup *trees = mem_calloc(MEASURE_COUNT, sizeof(*trees));
	struct report_rollup of = {.name = group_key_table[options->by.keys[0]].name,
	                           .trees = trees,
	                           .limit = options->limit_given ? options->limit : 0};
	struct report here = *report;
	int r;

	memset(row_options.measures, false, sizeof(row_options.measures));
	row_options.sort_key_count = row_options.condition_count = 0;
	row_options.top_groups = 0;
	row_options.renamed = row_options.late = false;
	row_options.interval = NULL;
	row_options.one_boot = count == SIDE_MAX && loads[0].info.kind == KIND_window &&
	                       choices_are_of_one_boot(hosts);
	choices_note(&options->selection, hosts, count, false, ids, &row_options);
	if (row_options.per == PER_COUNT)
		row_options.per = measure_per_default(loads[0].info.kind);
	row_set_init(&set, tables, count, NULL, &row_options);
	here.rows = &set;
	choose_measures(options, &set, measures);
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		if (measures[i])
			rollup_init(&trees[of.count++], &set, i, &options->rollup.options);
	r = check_length(options, &of, report->sides[0].path);
	if (r == 0)
		print(file, &here, &of, options->format);
	for (size_t i = 0; i < of.count; i++)
		rollup_done(&trees[i]);
	free(trees);
	return r;
}
