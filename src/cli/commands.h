/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* commands - the table of commands: which there are, and how one is found by its name. */
#include <stdio.h>

#include "command/command.h"

extern const struct command command_ab;
extern const struct command command_capture;
extern const struct command command_record;
extern const struct command command_show;
extern const struct command command_top;
extern const struct command command_compare;
extern const struct command command_plot;
extern const struct command command_list;
extern const struct command command_run;
extern const struct command command_duct;
extern const struct command command_window;
extern const struct command command_merge;
extern const struct command command_ab_report;
extern const struct command command_metric_list;
extern const struct command command_db;
extern const struct command command_doctor;
extern const struct command command_export;
extern const struct command command_report;
extern const struct command command_help;

/* All of them, in the order of the help; ended by NULL. */
enum { COMMANDS_MAX = 24 };
extern const struct command *const command_table[];

/* Prints their list, which is the help of the tool itself. */
void commands_print(FILE *file);

/* Returns the command with this name, or NULL. */
const struct command *command_find(const char *name);

/* Reports that there is no such command or option, and which one is likely to be meant; @command as for
 * cli_usage_error(). Returns EXIT_USAGE. */
must_check_ int command_report_unknown(const struct command *command, const char *word);
