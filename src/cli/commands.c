// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <string.h>

#include "cli/commands.h"
#include "command/command.h"
#include "command/manual-page.h"
#include "command/options.h"

const struct command *const command_table[] = {
        &command_ab,      &command_ab_report,   &command_run,    &command_duct,  &command_plot,
        &command_list,    &command_capture,     &command_record, &command_top,   &command_show,
        &command_compare, &command_report,      &command_window, &command_merge, &command_export,
        &command_db,      &command_metric_list, &command_doctor, &command_help,  NULL,
};
_Static_assert(ARRAY_SIZE(command_table) <= COMMANDS_MAX + 1, "COMMANDS_MAX is too small");

void commands_print(FILE *file)
{
	fputs("Usage: ctprof COMMAND [OPTIONS]\n"
	      "Take snapshots of every thread's kernel counters, and compare them.\n\n",
	      file);
	for (size_t i = 0; command_table[i]; i++)
		fprintf(file, "  %-12s %s\n", command_table[i]->name, command_table[i]->summary);
	fputs("\n'ctprof COMMAND --help' has the options; ctprof(1) has the rest.\n", file);
}

const struct command *command_find(const char *name)
{
	for (size_t i = 0; command_table[i]; i++)
		if (strcmp(name, command_table[i]->name) == 0)
			return command_table[i];
	return NULL;
}

/* The command that other tools call by this word, or NULL. */
static const char *find_other_name(const char *word)
{
	for (size_t i = 0; command_table[i]; i++)
		for (const char *const *name = command_table[i]->other_names; name && *name; name++)
			if (strcmp(word, *name) == 0)
				return command_table[i]->name;
	return NULL;
}

int command_report_unknown(const struct command *command, const char *word)
{
	static const char *const options[] = {"help", "version", NULL};
	bool is_option = word[0] == '-';
	const char *names[COMMANDS_MAX + 1] = {NULL}, *nearest;

	for (size_t i = 0; command_table[i]; i++)
		names[i] = command_table[i]->name;
	nearest =
	        is_option ? cli_nearest(word + strspn(word, "-"), options) : find_other_name(word);
	if (!nearest && !is_option)
		nearest = cli_nearest(word, names);
	if (!nearest)
		return cli_usage_error(command, "unknown %s '%s'", is_option ? "option" : "command",
		                       word);
	return cli_usage_error(command, "unknown %s '%s'; did you mean '%s%s'?",
	                       is_option ? "option" : "command", word, is_option ? "--" : "",
	                       nearest);
}

static const struct cli_option options[] = {{0}};

static int run(const struct command *command, int argc, char **argv)
{
	const struct command *about;
	struct option_parser parser;
	int id, operands;

	options_init(&parser, command, argc, argv);
	id = options_next(&parser);
	options_done(&parser);
	if (id == OPTIONS_HELP || id == OPTIONS_VERSION)
		return options_answer(command, id);
	if (id == OPTIONS_ERROR)
		return EXIT_USAGE;
	operands = argc - optind;
	if (operands > 1)
		return cli_usage_error(command, "unexpected argument '%s'", argv[optind + 1]);
	if (operands == 0) {
		commands_print(stdout);
		return cli_finish_output(0);
	}
	about = command_find(argv[optind]);
	if (!about)
		return command_report_unknown(command, argv[optind]);
	manual_page_show(about);
	return options_answer(about, OPTIONS_HELP);
}

static const char *const other_names[] = {"man", "usage", NULL};

const struct command command_help = {
        .name = "help",
        .summary = "Print the manual page of a command, or its options",
        .other_names = other_names,
        .operands = "[COMMAND]",
        .operand_values = TAKES(COMMANDS),
        .options = {options, NULL},
        .notes = NULL,
        .run = run,
};
