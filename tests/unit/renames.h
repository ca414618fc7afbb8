/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* renames - sides of a rename matching, made by hand or by chance, and checks of what every result has. */
#include "group/rename-match.h"
#include "random.h"

struct rename_list {
	struct rename_cgroup *cgroups;
	size_t count;
	size_t capacity;
};

struct rename_side rename_list_side(const struct rename_list *list);
void rename_list_done(struct rename_list *list);

/* Adds a cgroup with copies of its path and types; good until the next one. */
struct rename_cgroup *rename_list_add(struct rename_list *list, const char *path, size_t path_len,
                                      const uint32_t *types, size_t type_count);

/* With the types from @first up to, and without, @end. */
struct rename_cgroup *rename_list_range(struct rename_list *list, const char *path, uint32_t first,
                                        uint32_t end);

/* Two sides of cgroups that are like one another, at paths that are like one another. */
void rename_list_random(struct rename_list *baseline, struct rename_list *candidate,
                        struct random *random);

struct rename_map rename_lists(const struct rename_list *baseline,
                               const struct rename_list *candidate);

const struct rename_cgroup *rename_list_find(const struct rename_list *list, const char *path,
                                             size_t path_len);
int rename_path_compare(const struct rename_cgroup *a, const struct rename_cgroup *b);
size_t rename_overlap(const struct rename_cgroup *a, const struct rename_cgroup *b);

/* The pair of the candidate with this path, or NULL. */
const struct rename_pair *rename_pair_of(const struct rename_map *map,
                                         const struct rename_list *candidate, const char *path);

/* The candidate has a pair, and this is the path of its baseline; @expected NULL: it has none. */
void check_renamed(const struct rename_list *baseline, const struct rename_list *candidate,
                   const char *path, const char *expected);

/* Checks the properties of every result, and that the order of cgroups makes no difference. */
void check_rename_map(struct random *random, const struct rename_list *baseline,
                      const struct rename_list *candidate, const struct rename_map *map);
