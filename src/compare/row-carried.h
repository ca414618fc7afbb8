/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-carried - pairs groups by their threads: within one boot, a process that changed its name, executed a program or was moved
 * goes on under another name. */
#include "row-pairs.h"

/* Pairs a group of the first table with the group of the second that has exactly its threads of before, of those that are not
 * paired. The threads of before are those that both readings of the window have: of @interval, the window between two snapshots,
 * or of the second table itself if that is NULL. Returns, by the place of a group in the first table, whether it was paired here;
 * the caller frees it. */
bool *row_carried(struct row_pairs *pairs, const struct group_table *interval);

/* Returns the group of @interval that has the names of a side's group, by its place, or NULL. */
struct group *row_interval_at(const struct row_pairs *pairs, const struct group_table *interval,
                              unsigned side, uint32_t place);
