/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-gone - cgroups of a window that have no values at its end: they were removed in it, or have no threads any more. A sum over a
 * group with such a cgroup lacks what it counted. */
#include "facts/fact-groups.h"

/* Adds a cgroup that the file says is gone, or that a row of a thread which ended is of. Those of cgroup_table_add() are left out later.
 * @pattern lives as long as the table. */
void cgroup_gone_add(struct cgroup_table *table, struct span pattern, const struct strbuf *path,
                     bool is_v1);

/* Notes that the cgroup has values, in that group, of which it or those above it cover these (cgroup_stats_covered()). */
void cgroup_gone_leave_out(struct cgroup_table *table, const struct cgroup_stats *stats,
                           struct cgroup_group *group, uint64_t covered);

/* Returns whether a cgroup above this one was noted for the group, and stores what that one covers. Files of ctprof have a cgroup behind
 * those above it. */
bool cgroup_is_inside(struct cgroup_table *table, const struct cgroup_group *group,
                      const struct cgroup_stats *stats, uint64_t *ret_covered);

/* Counts cgroups that are gone in the groups that have other ones, apart where one of these includes them; called behind the last
 * cgroup. */
void cgroup_gone_finish(struct cgroup_table *table);
void cgroup_gone_done(struct cgroup_table *table);
