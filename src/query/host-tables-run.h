/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* host-tables-run - the options --cpus, --memory and --containers of show: tables of numbers of the host. */
#include "command/options.h"
#include "input/load.h"
#include "query/report-options.h"

/* Returns 0, or -1 with an error printed if other options contradict these; 0 without them. */
must_check_ int host_tables_settle(const struct report_options *options,
                                   const struct command *command);

/* Prints the table of a loaded snapshot in a style, that of the terminal. Returns the exit status, with an error printed. */
must_check_ int host_tables_visit(const struct report_options *options, const struct load *load,
                                  const struct table_style *style);
