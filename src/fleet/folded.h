/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* folded - groups as the folded stacks that flamegraph.pl and its relatives read: "cgroup;process;thread 12". */
#include <stdio.h>

#include "fleet/fleet-groups.h"

/* Prints a line for each group whose value is above 0: its names, with ';' between them, and the sum of the metric with the
 * work of exited threads. Two tables give a line for each group of either, with two values; 0 stands for a group that a table does not have.
 * Returns the numbers of groups that are left out because their value was not seen in a table that has them, and of those with a line
 * whose value lacks some of the threads. Errors are left in @file's error flag. */
struct folded_counts {
	size_t unseen, partial;
};

struct folded_counts folded_print(FILE *file, const struct fleet_groups *const *tables,
                                  unsigned count, enum metric_id metric);

/* Appends a name as a frame: ';' as ':', and blanks and control characters as '_'. */
void folded_add_frame(struct span name, struct strbuf *out);
