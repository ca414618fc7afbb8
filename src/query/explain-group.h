/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* explain-group - finds the group that --explain names in the snapshots, or the key that has it. */
#include "input/load.h"
#include "query/report-options.h"

/* Returns whether a snapshot has the group, or none is asked for. Else prints an error: with the command for the key that has
 * such a group, or the name that is likely to be meant. The loads have kept their bytes. */
must_check_ bool explain_has_group(const struct report_options *options, struct load *loads,
                                   unsigned count);

/* Appends the keys as --group-by takes them. */
void report_add_group_by(const struct group_by *by, struct strbuf *out);
