// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/rights.h"
#include "base/stack.h"
#include "cli/commands.h"
#include "command/command.h"
#include "knob/changes.h"
#include "json/json-tree.h"

/* An experiment that was not taken back is reported by every command but the one that does it. */
static void warn_of_changes(const char *command)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	if (strcmp(command, "ab") != 0 && changes_pending(NULL, &line))
		fprintf(stderr, "ctprof: %s\n", strbuf_str(&line));
}

static void set_signals(void)
{
	/* A reader that goes away ends us without a word, even where our parent ignored the signal. */
	signal(SIGPIPE, SIG_DFL);
	/* Helper processes are waited for, which does not work where our parent ignored this one. */
	signal(SIGCHLD, SIG_DFL);
	/* A write beyond RLIMIT_FSIZE fails with EFBIG then, and the command says so. */
	signal(SIGXFSZ, SIG_IGN);
}

/* A file that is opened must not get the number of a standard descriptor that the parent has closed: messages would be written into it.
 * A descriptor of O_PATH refuses to read and write, as a closed one does, and no command inherits it. */
static void hold_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", O_PATH | O_CLOEXEC);
}

/* Returns whether the argument is the option, or begins it. No other option of the program begins so. */
static bool is_option(const char *argument, const char *option)
{
	const size_t len = strlen(argument), dashes = 2;

	return len > dashes && strncmp(argument, option, len) == 0;
}

int main(int argc, char **argv)
{
	const struct command *command = argc < 2 ? NULL : command_find(argv[1]);

	hold_standard_descriptors();
	if (rights_init() < 0) {
		fputs("ctprof: the rights of this program cannot be given up\n", stderr);
		return EXIT_FAILED;
	}
	if (!command || !command->launches)
		set_signals();
	json_memory_init();
	if (argc < 2) {
		commands_print(stderr);
		return EXIT_USAGE;
	}
	if (is_option(argv[1], "--help") || strcmp(argv[1], "-h") == 0) {
		commands_print(stdout);
		return cli_finish_output(0);
	}
	if (is_option(argv[1], "--version")) {
		puts("ctprof " CTPROF_VERSION);
		return cli_finish_output(0);
	}
	if (!command)
		return command_report_unknown(NULL, argv[1]);
	if (command->status_out_of_memory)
		mem_set_status(command->status_out_of_memory);
	stack_reserve();
	warn_of_changes(argv[1]);
	return command->run(command, argc - 1, argv + 1);
}
