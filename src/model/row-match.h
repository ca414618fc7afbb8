/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-match - which group of one snapshot is which of the other. */
#include "ctprof/rows.h"

/* Fills groups, unmatched and exited of @set. */
void row_match(struct row_set *set, const struct group_table *const *tables,
               const struct row_cpu_time *cpu_times);
