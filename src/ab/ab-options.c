// SPDX-License-Identifier: GPL-2.0-or-later
#include "ab/ab-options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "query/report-lists.h"
#include "query/report-options.h"

enum { LIMIT = 15 };

/* In the order of enum measure_per. */
static const char *const pers[] = {"total", "second", "thread", "cpu-second", NULL};

const struct cli_option ab_report_option_table[] = {
        {1, 'g', "group-by", "KEY", "pcomm (default), comm, cgroup, user, ...", TAKES(GROUP_KEY)},
        {2, 0, "no-thread-normalize", NULL, "keep worker-1 and worker-2 apart", TAKES(NOTHING)},
        {3, 0, "no-cg-normalize", NULL, "keep cgroups a@1 and a@2 apart", TAKES(NOTHING)},
        {4, 0, "per", "WORD", "second (default), total, thread, cpu-second", TAKES_WORD(pers)},
        {5, 0, "margin", "PERCENT", "what is the same: as the experiment says, or 2%", TAKES(TEXT)},
        {6, 0, "min-effect", "PERCENT", "the least that moved: as it says, or 1%", TAKES(TEXT)},
        {7, 0, "fail-if", "CONDITION", "exit 4 if so: 'moved(METRIC@KEY:GROUP) > +5%'",
         TAKES(TEXT)},
        {8, 0, "fail-unless-same", "ROWS", "exit 4 unless all METRIC@KEY:GROUP are the same",
         TAKES(TEXT)},
        {9, 'n', "limit", "N", "at most N rows that moved, 0 for all (15)", TAKES(NUMBER)},
        {10, 'f', "format", "FORMAT", "table (default), csv, json, ndjson, markdown, junit",
         TAKES_WORD(findings_formats)},
        {15, 0, "csv-raw", NULL, "in csv, leave what looks like a formula as it is",
         TAKES(NOTHING)},
        {11, 0, "color", "WHEN", "auto (default), always or never", TAKES_WORD(report_colors)},
        {12, 0, "no-pager", NULL, "leave what is taller than the terminal to it", TAKES(NOTHING)},
        {13, 'v', "verbose", NULL, "print all rows, and all that differs", TAKES(NOTHING)},
        {14, 0, "read-limit", "LIST", "caps on reading: bytes=16G,threads=4M,...",
         TAKES_WORDS(report_caps)},
        {0},
};

void ab_options_init(struct ab_options *options)
{
	*options = (struct ab_options){
	        .by = group_by_key(GROUP_KEY_pcomm, false),
	        .per = PER_second,
	        .limit = LIMIT,
	        .limits = snapshot_default_limits,
	        .margin = -1,
	        .min_effect = -1,
	};
}

void ab_options_done(struct ab_options *options)
{
	for (size_t i = 0; i < options->gate_count; i++)
		gate_done(&options->gates[i]);
	free(options->gates);
}

typedef int parse_function(const struct option_parser *parser, struct ab_options *options);

static int parse_group_by(const struct option_parser *parser, struct ab_options *options)
{
	int r = list_group_keys(parser, &options->by);

	if (r == 0 && options->by.count != 1)
		return options_error(parser, "'%s': one key is needed here", parser->value);
	return r;
}

static int parse_no_thread_normalize(const struct option_parser *parser, struct ab_options *options)
{
	(void)parser;
	options->by.literal_names = true;
	return 0;
}

static int parse_no_cg_normalize(const struct option_parser *parser, struct ab_options *options)
{
	(void)parser;
	options->by.literal_cgroups = true;
	return 0;
}

static int parse_per(const struct option_parser *parser, struct ab_options *options)
{
	int chosen = options_choose(parser, pers);

	options->per = (enum measure_per)chosen;
	return chosen;
}

static int parse_percent(const struct option_parser *parser, bool zero, double *ret)
{
	char *end;
	double percent = strtod(parser->value, &end);

	if (!strchr("0123456789.", parser->value[0]) || end == parser->value ||
	    (*end == '%' ? end[1] : *end) != '\0' || !(percent < 100) || percent < 0 ||
	    (!zero && percent == 0))
		return options_error(parser, "'%s' is not a percentage such as 2%%", parser->value);
	*ret = percent / 100;
	return 0;
}

static int parse_margin(const struct option_parser *parser, struct ab_options *options)
{
	return parse_percent(parser, false, &options->margin);
}

static int parse_min_effect(const struct option_parser *parser, struct ab_options *options)
{
	return parse_percent(parser, true, &options->min_effect);
}

static int add_gate(const struct option_parser *parser, struct ab_options *options,
                    int (*parse)(struct gate *gate, const char *text, struct strbuf *reterr))
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct gate gate;

	if (parse(&gate, parser->value, &reason) < 0)
		return options_error(parser, "%s", strbuf_str(&reason));
	*array_add(options->gates, options->gate_count, options->gate_capacity) = gate;
	return 0;
}

static int parse_fail_if(const struct option_parser *parser, struct ab_options *options)
{
	return add_gate(parser, options, gate_parse_condition);
}

static int parse_fail_unless_same(const struct option_parser *parser, struct ab_options *options)
{
	return add_gate(parser, options, gate_parse_rows);
}

static int parse_limit(const struct option_parser *parser, struct ab_options *options)
{
	uint64_t value;

	if (!scan_u64(parser->value, strlen(parser->value), &value) || value > SIZE_MAX)
		return options_error(parser, "'%s' is not a number from 0 on", parser->value);
	options->limit = value;
	return 0;
}

static int parse_format(const struct option_parser *parser, struct ab_options *options)
{
	int chosen = options_choose(parser, findings_formats);

	options->format = (enum findings_format)chosen;
	return chosen;
}

static int parse_color(const struct option_parser *parser, struct ab_options *options)
{
	return options->color = options_choose(parser, report_colors);
}

static int parse_csv_raw(const struct option_parser *parser, struct ab_options *options)
{
	(void)parser;
	options->csv_raw = true;
	return 0;
}

static int parse_no_pager(const struct option_parser *parser, struct ab_options *options)
{
	(void)parser;
	options->no_pager = true;
	return 0;
}

static int parse_verbose(const struct option_parser *parser, struct ab_options *options)
{
	(void)parser;
	options->verbose = true;
	return 0;
}

static int parse_read_limit(const struct option_parser *parser, struct ab_options *options)
{
	return list_read_limits(parser, &options->limits);
}

static int parse_blocks_by(const struct option_parser *parser, struct ab_options *options)
{
	options->blocks_by =
	        strcmp(parser->value, "name") == 0 ? TRIAL_BLOCKS_NAME : TRIAL_BLOCKS_LABEL;
	options->blocks_label = parser->value;
	return 0;
}

static const struct {
	const char *name;
	parse_function *parse;
} parsers[] = {
        {"group-by", parse_group_by},
        {"no-thread-normalize", parse_no_thread_normalize},
        {"no-cg-normalize", parse_no_cg_normalize},
        {"per", parse_per},
        {"margin", parse_margin},
        {"min-effect", parse_min_effect},
        {"fail-if", parse_fail_if},
        {"fail-unless-same", parse_fail_unless_same},
        {"limit", parse_limit},
        {"format", parse_format},
        {"color", parse_color},
        {"no-pager", parse_no_pager},
        {"csv-raw", parse_csv_raw},
        {"verbose", parse_verbose},
        {"read-limit", parse_read_limit},
        {"blocks-by", parse_blocks_by},
};

static int parse_one(const struct option_parser *parser, struct ab_options *options)
{
	for (size_t i = 0; i < ARRAY_SIZE(parsers); i++)
		if (strcmp(parsers[i].name, parser->current->name) == 0)
			return parsers[i].parse(parser, options);
	return options_error(parser, "this option is for two snapshots, not for arms");
}

int ab_options_parse(struct ab_options *options, const struct command *command, int argc,
                     char **argv)
{
	struct option_parser parser;
	int id;

	options_init(&parser, command, argc, argv);
	while ((id = options_next(&parser)) > 0)
		if (parse_one(&parser, options) < 0) {
			id = OPTIONS_ERROR;
			break;
		}
	options_done(&parser);
	return id;
}
