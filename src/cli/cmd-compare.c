// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>

#include "ab/ab-options.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "query/report-options.h"

static const struct cli_option options[] = {
        {OPT_ORDER, 0, "order", "ORDER", "rank rows by impact (default), delta, percent, name",
         TAKES_WORD(report_orders)},
        {OPT_ROWS_FORMAT, 'f', "format", "FORMAT", "table (default), csv, json, ndjson, markdown",
         TAKES_WORD(report_formats)},
        {OPT_UNCHANGED, 'u', "unchanged", NULL, "list rows that did not change or were not seen",
         TAKES(NOTHING)},
        {OPT_COLUMNS, 'c', "columns", "LIST", "columns, in this order: group,metric,delta,...",
         TAKES_WORDS(report_compare_columns)},
        {OPT_DISPLAY, 0, "display", "WORD", "full (default), delta-only, no-pct, arrow, pct-only",
         TAKES_WORD(report_displays)},
        {OPT_MIN_DELTA, 0, "min-delta", "N", "only rows that moved by N or more, such as 5ms",
         TAKES(TEXT)},
        {OPT_MIN_PERCENT, 0, "min-percent", "N", "only rows that moved by N % or more",
         TAKES(TEXT)},
        {OPT_NO_RENAMES, 0, "no-renames", NULL, "do not pair cgroups that were renamed",
         TAKES(NOTHING)},
        {OPT_BLOCKS_BY, 0, "blocks-by", "LABEL", "of arms: a label, or name for the file names",
         TAKES(TEXT)},
        {OPT_FAIL_IF, 0, "fail-if", "CONDITION", "of arms: exit 4, see ctprof-ab-report(1)",
         TAKES(TEXT)},
        {OPT_FAIL_UNLESS_SAME, 0, "fail-unless-same", "ROWS",
         "of arms: exit 4 unless all are the same", TAKES(TEXT)},
        {0},
};

/* Returns whether windows of several arms are named, in place of two snapshots; or of one arm, and nothing else. */
static bool names_arms(int argc, char **argv)
{
	size_t arms = 0, others = 0;

	for (int i = 1; i < argc; i++) {
		bool is_word = argv[i][0] != '-';

		arms += is_word && ab_is_arm(argv[i]);
		others += is_word && !ab_is_arm(argv[i]);
	}
	return arms > 1 || (arms == 1 && others == 0);
}

static int compare_arms(const struct command *command, int argc, char **argv)
{
	cleanup_(ab_options_done) struct ab_options ab;
	cleanup_(trial_done) struct trial trial = {0};
	int id;

	ab_options_init(&ab);
	id = ab_options_parse(&ab, command, argc, argv);
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	for (int i = optind; i < argc; i++)
		if (!ab_is_arm(argv[i]))
			return cli_usage_error(command, "'%s' is no arm like A='a-*.zst'", argv[i]);
	mem_limit(ab.limits.memory);
	if (argc - optind == 1)
		return cli_usage_error(command, "a second arm is needed, such as B='b-*.zst'");
	if (ab_load_arms(&ab, &trial, argv + optind, (size_t)(argc - optind)) < 0)
		return EXIT_FAILED;
	if (trial.arm_count < 2)
		return cli_usage_error(command, "two arms are needed");
	trial_find_blocks(&trial);
	if (trial.block_count == 0) {
		cli_error("no block has windows of all arms");
		return EXIT_FAILED;
	}
	return ab_run(&ab, &trial);
}

static int run(const struct command *command, int argc, char **argv)
{
	if (names_arms(argc, argv))
		return compare_arms(command, argc, argv);
	return report_command(command, argc, argv, SIDE_MAX);
}

static const char *const other_names[] = {"diff", "cmp", "delta", NULL};

const struct command command_compare = {
        .name = "compare",
        .summary = "Print what changed between two snapshots",
        .other_names = other_names,
        .operands = "BASELINE CANDIDATE | A=GLOB B=GLOB...",
        .operand_values = TAKES(SNAPSHOT),
        .options = {report_option_table, options},
        .run = run,
};
