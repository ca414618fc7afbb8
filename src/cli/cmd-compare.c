// SPDX-License-Identifier: GPL-2.0-or-later
#include "report-options.h"

static const struct cli_option options[] = {
        {OPT_ORDER, 0, "order", "ORDER", "rank rows by impact (default), delta, percent, name",
         TAKES_WORD(report_orders)},
        {OPT_UNCHANGED, 'u', "unchanged", NULL, "list rows that did not change or were not seen",
         TAKES(NOTHING)},
        {0},
};

static int run(const struct command *command, int argc, char **argv)
{
	return report_command(command, argc, argv, SIDE_MAX);
}

static const char *const notes[] = {
        "impact is |delta| over the larger of the metric's two host-wide totals.",
        NULL,
};

const struct command command_compare = {
        .name = "compare",
        .summary = "Print what changed between two snapshots",
        .operands = "BASELINE CANDIDATE",
        .operand_values = TAKES(SNAPSHOT),
        .options = {report_option_table, options},
        .notes = notes,
        .run = run,
};
