/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* rename-match - pairs cgroups that have another name in the other snapshot, by the threads in them. Two rules make a
 * pair of a candidate cgroup:
 *
 * direct: nine tenths of the types of thread in the two cgroups are in both of them, and at least ten. The baseline
 *   cgroup with the largest share is used. If cgroups of the baseline have the same types, each candidate has one of
 *   its own as long as there are enough, one whose path ends alike if there is one; else, and of several, the
 *   alphabetically first one.
 * cascaded: a direct pair means that its parents were renamed too. Without the last segments that the two paths have in
 *   common, they are its roots: of /old/a/b and /new/a/b these are /old and /new. A candidate cgroup that is the
 *   candidate root or below it belongs to the cgroup of the same path at the baseline root, if there is one. If
 *   several pairs of roots lead to a cgroup of the baseline, the longest candidate root decides, then the
 *   alphabetically first baseline root; only the first 64 that apply are tried. A root that names no directory, such
 *   as "", "/" or "v1:", renames nothing, for that would be everything.
 *
 * A direct pair comes before a cascaded one. Several candidates may have the same baseline cgroup. Paths are any bytes,
 * and the result does not depend on the order in which cgroups are given. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything is borrowed for the time of the call. */
struct rename_cgroup {
	const char *path; /* no two of one side are alike */
	size_t path_len;
	/* The types of thread in it, ascending and each once. Both sides have the same numbers for them, from 0 on:
	 * memory is allocated for every number up to the largest. */
	const uint32_t *types;
	size_t type_count;
	bool matched; /* is in no direct pair; a candidate in none at all */
};

struct rename_side {
	const struct rename_cgroup *cgroups;
	size_t count;
};

struct rename_pair {
	size_t candidate; /* indexes into the two sides */
	size_t baseline;
	/* The length of the roots, with which the two paths begin. */
	size_t candidate_root_len;
	size_t baseline_root_len;
	size_t overlap; /* types that are in both */
	double jaccard; /* overlap divided by the types that are in one or both; 0 if there are none */
	/* The number of cascaded pairs that follow from this one. If direct pairs have the same roots, the one with the
	 * alphabetically first candidate has them all. */
	size_t children;
	bool cascaded;
};

struct rename_map {
	struct rename_pair *pairs; /* by the path of the candidate */
	size_t count;
	size_t *places; /* for each candidate: index + 1 into pairs, 0 if it has no pair */
	size_t candidate_count;
};

#define RENAME_MAP_INIT ((struct rename_map){0})

/* Overwrites @ret, which the caller passes to rename_map_done(). The work is roughly linear in the number of types of
 * all cgroups. It nears the product of the numbers of cgroups only if thousands of sets are nearly, but not quite, the
 * same, and is then a few machine instructions for each pair. */
void rename_match(const struct rename_side *baseline, const struct rename_side *candidate,
                  struct rename_map *ret);

/* Returns the pair of a candidate cgroup by its index, or NULL; good until rename_map_done(). */
const struct rename_pair *rename_map_find(const struct rename_map *map, size_t candidate);

/* For cleanup_(rename_map_done). */
void rename_map_done(struct rename_map *map);
