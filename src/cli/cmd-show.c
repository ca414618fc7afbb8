// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>

#include "report-options.h"

static int run(const struct command *command, int argc, char **argv)
{
	struct report_options options;
	int id;

	report_options_init(&options);
	id = report_options_parse(&options, command, argc, argv);
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (argc - optind != 1)
		return cli_usage_error(command, "one snapshot is needed, not %d", argc - optind);
	return report_run(&options, (const char *const *)&argv[optind], 1);
}

static const char *const notes[] = {
        "Rows are ranked by their share of the host's total; '-' was not seen.",
        NULL,
};

const struct command command_show = {
        .name = "show",
        .summary = "Print one snapshot, its threads grouped",
        .operands = "SNAPSHOT",
        .options = {report_option_table, NULL},
        .notes = notes,
        .run = run,
};
