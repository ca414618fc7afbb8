/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* live-run - the live view of top: windows that follow one another, shown in place, until a key or a signal ends it. */
#include "command/command.h"
#include "query/report-options.h"

/* Shows windows on the terminal of standard output. @options were parsed from the same arguments, and are the first that count.
 * Returns the exit status, with an error printed when the terminal is as before. */
must_check_ int live_run(const struct command *command, int argc, char **argv,
                         const struct report_options *options, uint64_t every_ns);
