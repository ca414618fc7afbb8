// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands.h"
#include "query/report-options.h"

static const struct cli_option options[] = {
        {OPT_SHOW_ORDER, 0, "order", "ORDER", "rank rows by impact (default), delta, name",
         TAKES_WORD(report_show_orders)},
        {OPT_SHOW_FORMAT, 'f', "format", "FORMAT",
         "table, csv, json, ndjson, markdown, prometheus...", TAKES_WORD(report_show_formats)},
        {OPT_HOST, 0, "host", NULL, "print the host as a page: fields, settings by kind",
         TAKES(NOTHING)},
        {OPT_DELAYS, 0, "delays", NULL, "the delays of each group and the host, as getdelays",
         TAKES(NOTHING)},
        {OPT_SHOW_EXITS, 0, "exits", NULL, "the ends in a window, one line each, as procacct",
         TAKES(NOTHING)},
        {OPT_SHOW_CPUS, 0, "cpus", NULL, "the time of each CPU of the host by mode",
         TAKES(NOTHING)},
        {OPT_MEMORY, 0, "memory", NULL, "meminfo and vmstat of the host, with their changes",
         TAKES(NOTHING)},
        {OPT_CONTAINERS, 0, "containers", NULL, "containers by name, with docker stats' numbers",
         TAKES(NOTHING)},
        {OPT_COLUMNS, 'c', "columns", "LIST", "columns, in this order: group,metric,value,...",
         TAKES_WORDS(report_show_columns)},
        {0},
};

static int run(const struct command *command, int argc, char **argv)
{
	return report_command(command, argc, argv, 1);
}

static const char *const notes[] = {
        "Rows are ranked by their share of the host's total; '-' was not seen.",
        NULL,
};

static const char *const other_names[] = {"print", "view", "list", NULL};

const struct command command_show = {
        .name = "show",
        .summary = "Print one snapshot, its threads grouped",
        .other_names = other_names,
        .operands = "SNAPSHOT",
        .operand_values = TAKES(SNAPSHOT),
        .options = {report_option_table, options},
        .notes = notes,
        .run = run,
};
