// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <string.h>

#include "report-options.h"

static const struct cli_option options_table[] = {
        {OPT_UNCHANGED, 'u', "unchanged", NULL, "list rows that did not change or were not seen"},
        {0},
};

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
	if (argc - optind != SIDE_MAX)
		return cli_usage_error(command, "two snapshots are needed, not %d", argc - optind);
	if (strcmp(argv[optind], "-") == 0 && strcmp(argv[optind + 1], "-") == 0)
		return cli_usage_error(command, "only one snapshot can be standard input");
	return report_run(&options, (const char *const *)&argv[optind], SIDE_MAX);
}

static const char *const notes[] = {
        "impact is |delta| over the larger of the metric's two host-wide totals.",
        NULL,
};

const struct command command_compare = {
        .name = "compare",
        .summary = "Print what changed between two snapshots",
        .operands = "BASELINE CANDIDATE",
        .options = {report_option_table, options_table},
        .notes = notes,
        .run = run,
};
