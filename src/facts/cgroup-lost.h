/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-lost - finds the groups of cgroups that have lost a cgroup between two snapshots of one boot. A cgroup that was removed and
 * made again at its path is another one: its values begin at 0, and the difference of the two is nothing that happened. The kernel's
 * numbers of cgroups decide that, which it gives once in a boot; without them nothing is known, and nothing is lost. Pure. */
#include "facts/fact-groups.h"

/* Keeps the ids of a cgroup of @group. cgroup_table_add() calls it. */
void cgroup_lost_add(struct cgroup_table *table, struct cgroup_group *group,
                     const struct cgroup_stats *stats);

/* Counts in each group of @table its cgroups that are not in the same group of @other. Both tables kept ids, and are of
 * one boot. */
void cgroup_table_find_lost(struct cgroup_table *table, const struct cgroup_table *other);

/* Returns whether one of the two groups, of which each may be NULL, has lost a cgroup of the hierarchy, as struct cgroup_stats names
 * it. */
bool cgroup_groups_have_lost(const struct cgroup_group *const *groups, unsigned count,
                             const char *hierarchy);

/* Returns the hierarchy whose cgroup has a value since it was made; NULL for a value of the moment. */
const char *cgroup_lost_hierarchy(const struct cgroup_value_desc *desc);
