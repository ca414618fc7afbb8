/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* exits-run - the option --exits of show: the threads that ended in a window. */
#include "command/options.h"
#include "input/load.h"
#include "query/report-options.h"

/* Returns 0, or -1 with an error printed if other options contradict --exits; 0 without it. */
must_check_ int exits_settle(const struct report_options *options, const struct command *command);

/* Prints the ends of a loaded window in a style, that of the terminal. Returns the exit status, with an error printed. */
must_check_ int exits_visit(const struct report_options *options, const struct load *load,
                            const struct table_style *style);
