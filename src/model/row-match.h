/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-match - which group of one snapshot is which of the other. */
#include "ctprof/rows.h"

/* Adds the work of exited threads to the groups, where both sides know it of the same processes. */
void row_match_exited(const struct group_table *const *tables, unsigned sides);

/* Fills groups, unmatched and exited of @set. */
void row_match(struct row_set *set, const struct group_table *const *tables,
               const struct row_cpu_time *cpu_times);
