// SPDX-License-Identifier: GPL-2.0-or-later
/* A program of the build, not installed: completion-print bash|zsh|fish, with a script of completion/ on its standard
 * input. */
#include <string.h>

#include "cli/commands.h"
#include "completion.h"

int main(int argc, char **argv)
{
	int r;

	if (argc != 2) {
		fputs("Usage: completion-print bash|zsh|fish <TEMPLATE\n", stderr);
		return 2;
	}
	r = completion_print(stdout, stdin, argv[1], command_table);
	if (r == 0)
		return 0;
	fprintf(stderr, "completion-print: %s: %s\n", argv[1], strerror(-r));
	return 1;
}
