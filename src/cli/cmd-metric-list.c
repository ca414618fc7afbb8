// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>

#include "base/glob.h"
#include "cli/commands.h"
#include "command/options.h"
#include "command/pager.h"
#include "listing/metric-list.h"
#include "measure/measure.h"

enum { OPT_FORMAT = 1, OPT_NO_PAGER };

static const char *const formats[] = {"table", "json", NULL};

static const struct cli_option options[] = {
        {OPT_FORMAT, 'f', "format", "FORMAT", "table (default) or json, the data dictionary",
         TAKES_WORD(formats)},
        {OPT_NO_PAGER, 0, "no-pager", NULL, "leave what is taller than the terminal to it",
         TAKES(NOTHING)},
        {0},
};

/* Returns EXIT_DONE if all can be used, else EXIT_USAGE. */
static int check_patterns(const struct command *command, char **patterns)
{
	for (; *patterns; patterns++) {
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

		if (!glob_check(*patterns, &reason))
			return cli_usage_error(command, "'%s': %s", *patterns, strbuf_str(&reason));
	}
	return EXIT_DONE;
}

static int report_nothing(char **patterns)
{
	const char *names[MEASURE_COUNT + 1] = {NULL}, *nearest;

	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		names[i] = measure_name(i);
	nearest = cli_nearest(*patterns, names);
	if (nearest && !patterns[1])
		cli_error("metric-list: nothing fits '%s'; did you mean '%s'?", *patterns, nearest);
	else
		cli_error("metric-list: nothing fits '%s'%s", *patterns,
		          patterns[1] ? " or the other patterns" : "");
	return EXIT_FAILED;
}

static int run(const struct command *command, int argc, char **argv)
{
	const struct table_style plain = {0};
	struct option_parser parser;
	struct pager pager;
	bool no_pager = false, any;
	int id, format = 0, status;
	const char *const *patterns;

	options_init(&parser, command, argc, argv);
	while ((id = options_next(&parser)) > 0) {
		if (id == OPT_NO_PAGER)
			no_pager = true;
		else
			format = options_choose(&parser, formats);
		if (format < 0) {
			id = OPTIONS_ERROR;
			break;
		}
	}
	options_done(&parser);
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	patterns = (const char *const *)argv + optind;
	status = check_patterns(command, argv + optind);
	if (status != EXIT_DONE)
		return status;
	pager_start(&pager, !no_pager && format == 0);
	any = format == 0 ? metric_list_print(pager.file, &plain, patterns)
	                  : metric_list_print_json(pager.file, patterns);
	status = pager_finish(&pager);
	return status == EXIT_DONE && !any ? report_nothing(argv + optind) : status;
}

static const char *const other_names[] = {"metrics", "explain", NULL};

static const char *const notes[] = {
        "A PATTERN is a part of a name, a section, the start of a word of a description,",
        "or a glob. Without one, everything is printed.",
        NULL,
};

const struct command command_metric_list = {
        .name = "metric-list",
        .summary = "Print the registry: metrics, sections, tags",
        .other_names = other_names,
        .operands = "[PATTERN]...",
        .operand_values = TAKES(TEXT),
        .options = {options, NULL},
        .notes = notes,
        .run = run,
};
