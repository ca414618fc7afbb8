// SPDX-License-Identifier: GPL-2.0-or-later
#include "report-options.h"

static const struct cli_option options[] = {
        {OPT_ORDER, 0, "order", "ORDER", "rank rows by impact (default), delta, percent, name",
         TAKES_WORD(report_orders)},
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

static const char *const other_names[] = {"diff", "cmp", "delta", NULL};

const struct command command_compare = {
        .name = "compare",
        .summary = "Print what changed between two snapshots",
        .other_names = other_names,
        .operands = "BASELINE CANDIDATE",
        .operand_values = TAKES(SNAPSHOT),
        .options = {report_option_table, options},
        .notes = notes,
        .run = run,
};
