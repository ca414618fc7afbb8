/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* options - getopt_long over a command's tables, with its own error messages. */
#include "command/command.h"

enum { OPTIONS_END = 0, OPTIONS_ERROR = -1, OPTIONS_HELP = -2, OPTIONS_VERSION = -3 };

struct option_parser {
	const struct command *command;
	int argc;
	char **argv;
	struct option *long_options; /* for getopt_long; owned */
	char *letters;               /* owned */
	const char *value;           /* argument of the option last returned; borrowed from argv */
	const struct cli_option *current;
};

void options_init(struct option_parser *parser, const struct command *command, int argc,
                  char **argv);
void options_done(struct option_parser *parser);

/* Visits what a command can be given: the options of its tables, then those that every command has. */
typedef void option_visitor(const struct cli_option *option, void *context);
void options_visit(const struct command *command, option_visitor *visit, void *context);

/* The id of the next option; OPTIONS_END where only operands are left (from optind on); OPTIONS_ERROR, the
 * error being printed; OPTIONS_HELP or OPTIONS_VERSION for the options every command has. */
must_check_ int options_next(struct option_parser *parser);

/* Answers OPTIONS_HELP or OPTIONS_VERSION on standard output; returns the exit status. */
must_check_ int options_answer(const struct command *command, int id);

/* Returns the index of the current option's value in a NULL-terminated list of words, or -1 with the error printed. */
must_check_ int options_choose(const struct option_parser *parser, const char *const *words);

/* Reports what is wrong with the value of the current option, whose name comes first. Returns -1. */
must_check_ int options_error(const struct option_parser *parser, const char *format, ...)
        printf_(2, 3);
