/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fact-groups - reduces the parts of a snapshot beside its threads' metrics to groups: cgroups by their path,
 * smaps_rollup by process name. */
#include "base/scan.h"
#include "base/strmap.h"
#include "ctprof/metric/cgroup-stats.h"
#include "ctprof/metric/sample.h"
#include "facts/cgroup-path.h"

/* Cgroups that share a key, merged by the rules of registry/cgroup.def. */
struct cgroup_group {
	struct span pattern; /* the table's key */
	uint32_t members;
	struct cgroup_stats stats;
	/* The members whose time between readings is known, in a window. */
	uint32_t rate_members;
	struct cgroup_stats rates; /* see cgroup-rates.h */
	uint32_t without_begin;    /* members that were read at the end of the window only */
	uint32_t gone;             /* cgroups that are no members, see cgroup-gone.h */
	/* Cgroups that lie in members, and those of them that are gone or were read at the end of the window only. */
	uint32_t nested, nested_lacking;
	struct keyed_values unjoined; /* the other members with such counters, by object */
	bool rate_unknown;            /* another member has counters, and no such time */
	struct cgroup_above above;    /* see cgroup-path.h; filled by cgroup_table_finish() */
	/* Counts by hierarchy: the members that are in it and whose id is not known, and those that the group of the other snapshot does
	 * not have; see cgroup-lost.h. */
	struct keyed_values without_ids, lost;
};

/* Returns the rates, or NULL if a member with counters has none. */
const struct cgroup_stats *cgroup_group_rates(const struct cgroup_group *group);

struct cgroup_table {
	struct strmap map; /* pattern of the path to struct cgroup_group; owned */
	struct cgroup_tree tree;
	bool keeps_ids;                  /* for cgroup_table_find_lost() */
	struct strmap ids;               /* hierarchy, NUL, number, to the group of the cgroup */
	struct strmap gone, with_values; /* see cgroup-gone.h */
	struct strbuf scratch;
};

void cgroup_table_init(struct cgroup_table *table);
void cgroup_table_done(struct cgroup_table *table);
/* @pattern is the result of group_table_cgroup() for the path. A cgroup that is gone only marks its group. One that lies in another
 * cgroup of the group is no member, since most counters of that one include its own. */
void cgroup_table_add(struct cgroup_table *table, struct span pattern,
                      const struct cgroup_stats *stats);

/* Computes the limits that cgroups get from above; called behind the last cgroup. */
void cgroup_table_finish(struct cgroup_table *table);

/* The processes of one name, a pattern of pcomm; or one process, whose name is "pcomm[tgid]", if names are literal. */
struct smaps_group {
	uint32_t processes;
	uint32_t unread;  /* more of the name, whose file was not read */
	char *first_name; /* owned; see struct group */
	size_t first_name_len;
	bool several_names;
	struct keyed_values kib; /* sums over the processes */
};

struct smaps_table {
	bool literal;
	const struct host *host; /* borrowed */
	struct strmap map;       /* to struct smaps_group; owned */
	struct strbuf key, name;
};

/* @host is read before the first sample, and must outlive the table. */
void smaps_table_init(struct smaps_table *table, bool literal, const struct host *host);
void smaps_table_done(struct smaps_table *table);
/* Counts a leader whose smaps_rollup was not read; ignores other samples without smaps. */
void smaps_table_add(struct smaps_table *table, const struct thread_sample *sample);
