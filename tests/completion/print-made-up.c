// SPDX-License-Identifier: GPL-2.0-or-later
/* completion-print with commands that are made up: words, names and texts with what shells take for their own.
 *
 *   print-made-up bash|zsh|fish <TEMPLATE
 *   print-made-up words
 *
 * The last one prints the words, one a line. */
#include <string.h>

#include "tools/completion.h"

static const char *const words[] = {
        "cgroup",         "cgroup:service",
        "cgroup:slice",   "it's",
        "two words",      "$HOME",
        "$(touch pwned)", "`touch pwned`",
        "back\\slash",    "\"quoted\"",
        "br[ack]et",      "star*",
        "a;b&c|d>e",      "{x}",
        "#hash",          "~",
        "k\xc3\xa4se",    NULL,
};
static const char *const plain_words[] = {"cgroup", "cgroup:service", "cgroup:slice", "comm:exact=",
                                          "it's",   "br[ack]et",      "back\\slash",  NULL};

#define HOSTILE "it's: [\"a\"] (b) {c} \\ \\\\ 100% %s $(touch pwned) `touch pwned` $HOME ~ * ? #"

static const struct cli_option options[] = {
        {1, 'o', "one", "WORD", HOSTILE, TAKES_WORD(words)},
        {2, 'l', "list", "WORDS", HOSTILE, TAKES_WORDS(plain_words)},
        {3, 0, "nothing", NULL, HOSTILE, TAKES(NOTHING)},
        {4, 't', "text", HOSTILE, HOSTILE, TAKES(TEXT)},
        {0},
};

static const struct command command = {
        .name = "made-up", .summary = HOSTILE, .options = {options, NULL}};

int main(int argc, char **argv)
{
	const struct command *const commands[] = {&command, NULL};

	if (argc == 2 && strcmp(argv[1], "words") == 0) {
		for (const char *const *word = words; *word; word++)
			puts(*word);
		return fflush(stdout) == 0 ? 0 : 1;
	}
	return argc == 2 && completion_print(stdout, stdin, argv[1], commands) == 0 ? 0 : 1;
}
