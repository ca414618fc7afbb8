/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-match - which group of one snapshot is which of the other. */
#include "compare/rows.h"

/* Fills everything of @set but the rows: adds the work of exited threads to the groups of @tables, where both sides
 * have it of the same processes, adds up the host, and pairs the groups. */
void row_match(struct row_set *set, const struct group_table *const *tables,
               const struct row_cpu_time *cpu_times, const struct row_options *options);
