// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>

#include "cli/options.h"
#include "listing/metric-list.h"
#include "pager.h"

enum { OPT_FORMAT = 1, OPT_NO_PAGER };

static const char *const formats[] = {"table", "json", NULL};

static const struct cli_option options[] = {
        {OPT_FORMAT, 'f', "format", "FORMAT", "table (default) or json, the data dictionary",
         TAKES_WORD(formats)},
        {OPT_NO_PAGER, 0, "no-pager", NULL, "leave what is taller than the terminal to it",
         TAKES(NOTHING)},
        {0},
};

static int run(const struct command *command, int argc, char **argv)
{
	const struct table_style plain = {0};
	struct option_parser parser;
	struct pager pager;
	bool no_pager = false;
	int id, format = 0;

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
	if (optind < argc)
		return cli_usage_error(command, "unexpected argument '%s'", argv[optind]);
	pager_start(&pager, !no_pager && format == 0);
	if (format == 0)
		metric_list_print(pager.file, &plain);
	else
		metric_list_print_json(pager.file);
	return pager_finish(&pager);
}

const struct command command_metric_list = {
        .name = "metric-list",
        .summary = "Print the registry: metrics, sections, tags",
        .operands = NULL,
        .options = {options, NULL},
        .notes = NULL,
        .run = run,
};
