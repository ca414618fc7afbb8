/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-base - the cgroups of the window before, for a window that has only those in which something moved. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strmap.h"
#include "ctprof/metric/cgroup-stats.h"

struct cgroup_base_entry {
	struct cgroup_stats stats; /* as the last window that had it says */
	uint64_t frame;            /* the last frame with it, left out or not; 0: it is gone */
};

/* All zero is the empty base. */
struct cgroup_base {
	struct cgroup_base_entry *entries; /* owned */
	size_t count, capacity;
	size_t live;          /* entries that are not gone */
	struct strmap places; /* by version and path, the place plus one */
	struct strbuf key;    /* scratch */
};

/* For cleanup_(cgroup_base_done). */
void cgroup_base_done(struct cgroup_base *base);

/* Returns the entry of a cgroup that is there, or NULL. */
struct cgroup_base_entry *cgroup_base_find(struct cgroup_base *base,
                                           const struct cgroup_stats *like);

/* Keeps a copy in place of the one before. */
void cgroup_base_keep(struct cgroup_base *base, const struct cgroup_stats *stats, uint64_t frame);

void cgroup_base_end(struct cgroup_base *base, struct cgroup_base_entry *entry);

/* Forgets all cgroups that the frame does not have. */
void cgroup_base_end_others(struct cgroup_base *base, uint64_t frame);

/* Gives back the memory of cgroups that are gone if they are the most. */
void cgroup_base_tidy(struct cgroup_base *base);

/* Returns whether nothing of the cgroup moved since @before, a row of the window before, but for the times of the reading. */
bool cgroup_is_unchanged(const struct cgroup_stats *before, const struct cgroup_stats *stats);

/* Makes a row of one window the one of the next window if nothing moved there. */
void cgroup_make_unchanged(struct cgroup_stats *stats, uint64_t interval_ns);

/* Makes @to, which is zeroed, a copy. */
void cgroup_row_copy(struct cgroup_stats *to, const struct cgroup_stats *from);
