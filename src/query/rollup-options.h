/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* rollup-options - the options --rollup and --tree of show and compare, and the report that it asks for. */
#include "command/options.h"
#include "input/load.h"
#include "query/report-options.h"

/* The words of the option's list; ended by NULL. */
extern const char *const report_rollup_words[];

/* Parses "cwd,depth=3,share=0.5". Returns 0, or -1 with the error printed. */
must_check_ int rollup_parse(const struct option_parser *parser, struct report_options *options);

/* Asks for the tree of processes by parent, as "parent" does: the option --tree. */
void rollup_choose_parent(struct report_options *options);

/* Notes the name of an option that a tree has no use for, whether it is asked for or not. */
void rollup_note(struct report_options *options, int id, const char *name);

/* Sets what follows from the option, once all are parsed; does nothing without it. Returns 0, or -1 with the error printed. */
must_check_ int rollup_settle(struct report_options *options, const struct command *command);

/* Prints the trees. @loads are the sides; @report has their description and the style. Returns 0; or -E2BIG with an error printed and
 * nothing in @file if the format has whole paths and they are too long (rollup.h). */
must_check_ int rollup_print(FILE *file, const struct report_options *options,
                             const struct load *loads, unsigned count, const struct report *report);
