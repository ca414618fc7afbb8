/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* selection-options - the options --pid, --tgid, --comm and --cgroup, which several commands have. */
#include "command/options.h"
#include "where/selection.h"

/* The rows of the options, with ids from @first_ on; each option can be given more than once. */
enum { SELECTION_PID, SELECTION_TGID, SELECTION_COMM, SELECTION_CGROUP, SELECTION_COUNT };
/* clang-format off */
#define SELECTION_OPTIONS(first_)                                                                       \
	{(first_) + SELECTION_PID, 0, "pid", "IDS", "only the processes with these ids: 12,34", TAKES(TEXT)},   \
	{(first_) + SELECTION_TGID, 0, "tgid", "IDS", "the same: a process id is a tgid", TAKES(TEXT)},         \
	{(first_) + SELECTION_COMM, 0, "comm", "GLOB", "only processes with such a name: 'nginx*'", TAKES(TEXT)}, \
	{(first_) + SELECTION_CGROUP, 0, "cgroup", "PATH", "only what is in this cgroup or below it", TAKES(TEXT)}
/* clang-format on */

/* Adds the value of the option that was parsed last, whose id is @which from the first one on. Returns 0, or -1 with the error
 * printed. */
must_check_ int selection_parse(const struct option_parser *parser, int which,
                                struct selection *selection);
