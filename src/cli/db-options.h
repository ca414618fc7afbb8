/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* db-options - the options of `ctprof db`. */
#include <stdbool.h>
#include <stdint.h>

#include "command/command.h"
#include "database/arms.h"
#include "database/question.h"
#include "export/export-file.h"
#include "shards/shards-address.h"

enum db_print { DB_PRINT_TABLE, DB_PRINT_CSV, DB_PRINT_NDJSON };

/* The words of the command that have a use for an option, one bit each. */
enum {
	DB_FOR_ADD = 1 << 0,
	DB_FOR_CHECK = 1 << 1,
	DB_FOR_DDL = 1 << 2,
	DB_FOR_OUTLIERS = 1 << 3,
	DB_FOR_MOVERS = 1 << 4,
	DB_FOR_GROUP = 1 << 5,
	DB_FOR_ARMS = 1 << 6,
	DB_FOR_QUERY = DB_FOR_OUTLIERS | DB_FOR_MOVERS | DB_FOR_GROUP | DB_FOR_ARMS,
};

/* The values of the options; borrowed from the words but for what is owned. */
struct db_arguments {
	struct export_plan plan;
	struct question question;
	/* The question arms: what others do not have. */
	bool of_arms;
	struct arm_question arms;
	const char *arm_names;
	const char *path;
	struct shards_address address; /* no servers: the path is a file; owned */
	uint64_t patience_ns;
	int format;
	uint64_t limit;
	bool quiet, csv_raw, repairs;
	unsigned given; /* a bit for each option that was given, by its id */
};

extern const struct cli_option db_options[]; /* ended by one without a name */

/* Reads the options. Returns what options_next() returned last, or OPTIONS_ERROR behind a message. The caller calls
 * shards_address_done() for the address in any case. */
must_check_ int db_options_parse(const struct command *command, int argc, char **argv,
                                 struct db_arguments *ret);

/* Refuses an option that has no use for the word of @use. Returns 0, or EXIT_USAGE behind a message. */
must_check_ int db_options_settle(const struct command *command,
                                  const struct db_arguments *arguments, unsigned use);
