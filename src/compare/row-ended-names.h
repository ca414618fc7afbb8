/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-ended-names - whether two windows have the same names of threads that ended in them. */
#include "compare/rows.h"

/* Returns whether threads that ended in a window are in other groups, or left out, on one of two sides, since the two windows do not have
 * the same names of them: those of the keys, or of the choice of processes (registry/exits.def); or, if they overlap, the same births, and the
 * group is on one side only. */
bool row_ended_names_differ(const struct row_set *set, const struct row_group *group);

/* Returns the group of the other table with threads that may be of the group of the entry: they ended in a window that has exit records
 * alone, which lack their cgroup, and their other names are the same. NULL if there is none. */
const struct group *row_unnamed_group(const struct group_table *table,
                                      const struct strmap_entry *entry,
                                      const struct group_table *other,
                                      const struct derive_frame *other_frame);
