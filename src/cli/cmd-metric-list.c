// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>

#include "ctprof/report.h"
#include "options.h"

enum { OPT_FORMAT = 1 };

static const struct cli_option options[] = {
        {OPT_FORMAT, 'f', "format", "FORMAT", "table (default) or json, the data dictionary"},
        {0},
};

static int run(const struct command *command, int argc, char **argv)
{
	static const char *const formats[] = {"table", "json", NULL};
	const struct table_style plain = {0};
	struct option_parser parser;
	int id, format = 0;

	options_init(&parser, command, argc, argv);
	while ((id = options_next(&parser)) > 0) {
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
	if (optind < argc)
		return cli_usage_error(command, "unexpected argument '%s'", argv[optind]);
	if (format == 0)
		report_metric_list(stdout, &plain);
	else
		report_metric_list_json(stdout);
	return cli_finish_output();
}

const struct command command_metric_list = {
        .name = "metric-list",
        .summary = "Print the registry: metrics, sections, tags",
        .operands = NULL,
        .options = {options, NULL},
        .notes = NULL,
        .run = run,
};
