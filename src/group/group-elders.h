/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group-elders - the threads of a group that were born first, with their settings: nice value, policy and the like. These
 * threads are in both of two snapshots even if others come and go, and show what was set in between. */
#include "group/group.h"

/* Adds a thread if few others of the group were born before it. @member is its part of struct group's members. */
void group_elders_add(struct group *group, const struct thread_sample *sample, uint64_t member);
void group_elders_merge(struct group *into, const struct group *from);
void group_elders_done(struct group *group);

/* Returns how many threads are among the elders of both groups, and by @ret_changed how many of them have another value of the
 * metric, which is a setting of threads; @ret has the values of these on both sides, zeroed by the caller, who frees them with
 * fold_cell_done(). */
uint32_t group_elders_compare(const struct group *a, const struct group *b, enum metric_id metric,
                              struct fold_cell ret[2], uint32_t *ret_changed);

/* Returns the earliest birth in clock ticks since boot; UINT64_MAX if there is none. */
uint64_t group_elders_birth(const struct group *group);

/* Notes the cgroup that the cpu controller has a thread of the group in; the name stays with the table, or is NULL. */
void group_add_cpu_cgroup(struct group_table *table, struct group *group,
                          const struct thread_sample *sample);
void group_note_cpu_cgroup(struct group *group, const char *name);
