// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <string.h>

#include "cli/command.h"
#include "json/json-tree.h"

static void print_help(FILE *file)
{
	fputs("Usage: ctprof COMMAND [OPTIONS]\n"
	      "Take snapshots of every thread's kernel counters, and compare them.\n\n",
	      file);
	for (size_t i = 0; command_table[i]; i++)
		fprintf(file, "  %-12s %s\n", command_table[i]->name, command_table[i]->summary);
	fputs("\n'ctprof COMMAND --help' has the options; ctprof(1) has the rest.\n", file);
}

static int report_unknown_command(const char *word)
{
	const char *names[COMMANDS_MAX + 1] = {NULL};
	const char *nearest;

	if (word[0] == '-') {
		static const char *const options[] = {"help", "version", NULL};

		nearest = cli_nearest(word + strspn(word, "-"), options);
		if (nearest)
			return cli_usage_error(NULL, "unknown option '%s'; did you mean '--%s'?",
			                       word, nearest);
		return cli_usage_error(NULL, "unknown option '%s'", word);
	}
	for (size_t i = 0; command_table[i]; i++)
		names[i] = command_table[i]->name;
	nearest = cli_nearest(word, names);
	if (nearest)
		return cli_usage_error(NULL, "unknown command '%s'; did you mean '%s'?", word,
		                       nearest);
	return cli_usage_error(NULL, "unknown command '%s'", word);
}

int main(int argc, char **argv)
{
	/* A reader that goes away ends us without a word, even where our parent ignored the signal. */
	signal(SIGPIPE, SIG_DFL);
	/* Helper processes are waited for, which does not work where our parent ignored this one. */
	signal(SIGCHLD, SIG_DFL);
	/* A write beyond RLIMIT_FSIZE fails with EFBIG then, and the command says so. */
	signal(SIGXFSZ, SIG_IGN);
	json_memory_init();
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return cli_finish_output(0);
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("ctprof " CTPROF_VERSION);
		return cli_finish_output(0);
	}
	for (size_t i = 0; command_table[i]; i++)
		if (strcmp(argv[1], command_table[i]->name) == 0)
			return command_table[i]->run(command_table[i], argc - 1, argv + 1);
	return report_unknown_command(argv[1]);
}
