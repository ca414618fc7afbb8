/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* command - what the commands of the tool have in common: their descriptors, options, and how they speak. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ctprof/macro.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_MISSING = 3 };

struct cli_option {
	int id;               /* from 1 on; what options_next() returns */
	char letter;          /* 0 where it has no short form */
	const char *name;     /* without the dashes */
	const char *argument; /* what --help calls it; NULL where it takes none */
	const char *help;
};

enum { COMMAND_OPTION_TABLES = 2 };

struct command {
	const char *name;
	const char *summary;
	const char *operands; /* for the usage line */
	/* Tables of options, each ended by a row without a name; the last may be NULL. --help is added. */
	const struct cli_option *options[COMMAND_OPTION_TABLES];
	const char *const
	        *notes; /* lines below the options in --help, ended by NULL; may be NULL */
	int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command command_capture;
extern const struct command command_show;
extern const struct command command_compare;
extern const struct command command_metric_list;
extern const struct command command_doctor;

/* One line on stderr: "ctprof: ...". */
void cli_error(const char *format, ...) printf_(1, 2);

/* The same for a wrong call, followed by where to find help; returns EXIT_USAGE. */
must_check_ int cli_usage_error(const struct command *command, const char *format, ...)
        printf_(2, 3);

/* Closes stdout and reports what could not be written. Returns EXIT_DONE or EXIT_FAILED. */
must_check_ int cli_finish_output(void);

/* The name in a list that a misspelt one most likely means, or NULL. @names ends with NULL. */
const char *cli_nearest(const char *word, const char *const *names);
