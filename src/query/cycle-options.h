/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cycle-options - the options of top about its cycles, and those that it has of show's. */
#include <stdbool.h>
#include <stdint.h>

#include "command/options.h"

/* The length and the number of windows, and how they are shown. */
struct cycle_choice {
	bool batch;        /* one below the other */
	uint64_t every_ns; /* length of a window; 0: the default of the command */
	uint64_t count;    /* of windows; 0: until a signal */
};

/* The first words of report_formats: those that show where a cycle begins. */
extern const char *const cycle_formats[];

/* All options of top. */
extern const struct cli_option cycle_option_table[];

/* Returns whether the option is one of cycles, which cycle_parse() parses. */
bool cycle_has_option(int id);

/* Parses it. Returns 0, or -1 with the error printed. */
must_check_ int cycle_parse(const struct option_parser *parser, int id, struct cycle_choice *ret);
