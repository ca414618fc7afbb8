// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>

#include "ab/ab-options.h"
#include "base/mem.h"
#include "cli/commands.h"

static const char *const notes[] = {
        "Answers are moved, same (within the margin) and unknown. Several directories are",
        "sessions of one experiment. Exit status: 4 if a condition is not met, 5 if the",
        "experiment cannot say.",
        NULL,
};

static int run(const struct command *command, int argc, char **argv)
{
	cleanup_(ab_options_done) struct ab_options options;
	cleanup_(trial_done) struct trial trial = {0};
	int id;

	ab_options_init(&options);
	id = ab_options_parse(&options, command, argc, argv);
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	if (optind == argc)
		return cli_usage_error(command, "a directory is missing");
	mem_limit(options.limits.memory);
	for (int i = optind; i < argc; i++)
		if (ab_load_directory(&trial, argv[i]) < 0)
			return EXIT_FAILED;
	trial_find_blocks(&trial);
	if (trial.block_count == 0) {
		cli_error("%s: no block is complete", argv[optind]);
		return EXIT_FAILED;
	}
	return ab_run(&options, &trial);
}

const struct command command_ab_report = {
        .name = "ab-report",
        .summary = "Print what an experiment says of each row",
        .operands = "DIR...",
        .operand_values = TAKES(DIRECTORY),
        .options = {ab_report_option_table, NULL},
        .notes = notes,
        .run = run,
};
