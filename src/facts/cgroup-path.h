/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* cgroup-path - computes the limits that a cgroup gets from the cgroups between itself and the root of its hierarchy: a
 * CPU limit above that throttles it, and of each limit the smallest. Only cgroups in the snapshot count; if the path ends at the root
 * of a namespace, those above it are unknown. Pure. */
#include "base/scan.h"
#include "base/strmap.h"
#include "ctprof/metric/cgroup-stats.h"

enum cgroup_limit {
	CGROUP_LIMIT_cpu, /* in millionths of a CPU */
	CGROUP_LIMIT_memory,
	CGROUP_LIMIT_memory_high,
	CGROUP_LIMIT_pids,
	CGROUP_LIMIT_COUNT,
};

/* The smallest limit on the path. */
struct cgroup_bound {
	enum fact_state state; /* FACT_UNSEEN if no file on the path had the value */
	uint64_t number;
	struct span by; /* pattern of the cgroup that has it; borrowed from the tree's caller */
	bool several;   /* of a group: cgroups of other patterns have the same limit */
	bool hidden;    /* one on the path could not be read: the limit may be lower */
};

/* The limits and the throttling that apply to the cgroups of a group from the cgroups above them. */
struct cgroup_above {
	uint32_t members;
	struct cgroup_bound bounds[CGROUP_LIMIT_COUNT];
	bool throttling_seen; /* a cgroup above counts it */
	bool throttling_hidden; /* one that may count it could not be read: the sums are lower bounds */
	/* Sums over the cgroups above that were throttled, each once. These are their own counts: they do not
	 * show how long the cgroups below wanted to run, or existed, and two that were throttled at one time both count. */
	uint64_t periods, usec;
	int64_t periods_rate, usec_rate; /* as in cgroup-rates.h; valid with has_rates */
	bool has_rates;
	struct span by; /* the one that was throttled longest; empty if none was */
	uint64_t by_usec;
	uint32_t throttler_count;
	struct strmap throttlers; /* their places in the tree */
};
void cgroup_above_done(struct cgroup_above *above);

/* Returns whether the sums are known. Those that are a part only say nothing if they are 0. */
bool cgroup_above_knows_throttling(const struct cgroup_above *above);

/* The part of a cgroup that the cgroups below it need. */
struct cgroup_node {
	struct span path; /* borrowed from the tree's map */
	bool is_v1;
	struct span pattern;        /* borrowed from the caller that added it */
	struct cgroup_above *above; /* of its group; borrowed */
	enum fact_state states[CGROUP_LIMIT_COUNT];
	uint64_t limits[CGROUP_LIMIT_COUNT];
	bool unread[CGROUP_LIMIT_COUNT]; /* the limit is unseen, although the cgroup has it */
	enum cgroup_place places[CGROUP_LIMIT_COUNT]; /* in the hierarchy of the limit */
	bool is_flat; /* version 1: its limit of memory does not hold for the cgroups below */
	bool has_throttling;
	uint64_t periods, usec;
	uint64_t interval_ns;
};

struct cgroup_tree {
	struct strmap places;      /* version and path, to the place of the node */
	struct cgroup_node *nodes; /* owned */
	size_t count, capacity;
};
void cgroup_tree_done(struct cgroup_tree *tree);

/* Adds a cgroup of a group; @pattern and @above must not move. */
void cgroup_tree_add(struct cgroup_tree *tree, const struct cgroup_stats *stats,
                     struct span pattern, struct cgroup_above *above);

/* Computes the limits of the groups; called behind the last cgroup. */
void cgroup_tree_finish(struct cgroup_tree *tree);
