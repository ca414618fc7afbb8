/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* window-output - the options of the commands that make one window of others: 'window' and 'merge'. */
#include <stdbool.h>

#include "command/options.h"
#include "ctprof/snapshot/snapshot.h"

struct window_output {
	const char *path; /* borrowed; NULL if it was not named */
	bool quiet;
	struct snapshot_limits limits;
};

/* --output, --read-limit and --quiet; ends with an empty row. */
extern const struct cli_option window_output_options[];

/* Reads the options. Returns what options_next() returns at the end: 0, OPTIONS_HELP, OPTIONS_VERSION, or OPTIONS_ERROR after a
 * message. */
must_check_ int window_output_parse(const struct command *command, int argc, char **argv,
                                    struct window_output *ret);

/* Returns 0 if a snapshot can be written to @path, or EXIT_USAGE after a message: no path was named, or it is a terminal. */
must_check_ int window_output_check(const struct command *command, const char *path);
