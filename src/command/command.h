/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* command - what the commands of the tool have in common: their descriptors, options, and how they speak. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ctprof/base/macro.h"

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_MISSING = 3,
	EXIT_GATE = 4,    /* a condition of the user is not met */
	EXIT_INVALID = 5, /* the experiment cannot decide it */
};

/* The values of an argument or an operand, for completion in a shell. */
enum cli_values_kind {
	VALUES_NOTHING, /* there is no argument */
	VALUES_TEXT,    /* anything */
	VALUES_NUMBER,
	VALUES_FILE,
	VALUES_DIRECTORY,
	VALUES_SNAPSHOT, /* a file, most likely *.zst */
	VALUES_WORD,     /* one of @words */
	VALUES_WORDS, /* some of @words, separated by commas; one that ends with '=' takes a value */
	VALUES_GROUP_KEY,  /* one, and no tree */
	VALUES_GROUP_KEYS, /* separated by commas, as the next ones */
	VALUES_METRICS,
	VALUES_SECTIONS,
	VALUES_SORT_KEYS, /* METRIC[:asc|desc] */
	VALUES_COMMANDS,  /* the name of a command */
};

struct cli_values {
	enum cli_values_kind kind;
	const char *const *words; /* ended by NULL: the very list that the parser looks into */
};

/* The last initialiser of an option's row. */
#define TAKES(kind_)                 \
	{                            \
		VALUES_##kind_, NULL \
	}
#define TAKES_WORD(words_)          \
	{                           \
		VALUES_WORD, words_ \
	}
#define TAKES_WORDS(words_)          \
	{                            \
		VALUES_WORDS, words_ \
	}

struct cli_option {
	int id;               /* from 1 on; what options_next() returns */
	char letter;          /* 0 where it has no short form */
	const char *name;     /* without the dashes */
	const char *argument; /* what --help calls it; NULL where it takes none */
	const char *help;
	struct cli_values values;
};

enum { COMMAND_OPTION_TABLES = 2 };

struct command {
	const char *name;
	const char *summary;
	/* Names that other tools have for such a command, for a hint; ended by NULL; may be NULL. */
	const char *const *other_names;
	const char *operands; /* for the usage line: a word for each */
	/* The values of the first operand, ended by NULL; NULL: it is like the others. */
	const char *const *first_words;
	struct cli_values operand_values;
	/* Tables of options, each ended by a row without a name; the last may be NULL. --help is added. */
	const struct cli_option *options[COMMAND_OPTION_TABLES];
	const char *const
	        *notes; /* lines below the options in --help, ended by NULL; may be NULL */
	/* Its operands are another command: the first one ends the options, and signals are as they were inherited. */
	bool launches;
	int status_out_of_memory; /* of the program; 0: EXIT_FAILED */
	int (*run)(const struct command *command, int argc, char **argv);
};

/* One line on stderr: "ctprof: ...". */
void cli_error(const char *format, ...) printf_(1, 2);

/* The same for a wrong call, followed by where to find help; returns EXIT_USAGE. */
must_check_ int cli_usage_error(const struct command *command, const char *format, ...)
        printf_(2, 3);

/* Closes stdout and reports what could not be written, with @error as the reason where one is known from before (errno,
 * or 0). Returns EXIT_DONE or EXIT_FAILED. */
must_check_ int cli_finish_output(int error);

/* The name in a list that a misspelt one most likely means, or NULL. @names ends with NULL. */
const char *cli_nearest(const char *word, const char *const *names);
