// SPDX-License-Identifier: GPL-2.0-or-later
#include "rename-cascade.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ctprof/base/strbuf.h"

/* The most pairs of roots that are tried for one cgroup: a file can be made to have any number of them. */
enum { ROOTS_TRIED_MAX = 64 };

#define NO_ROOT SIZE_MAX

struct root {
	const char *candidate; /* borrowed, as the next */
	size_t candidate_len;
	const char *baseline;
	size_t baseline_len;
	struct rename_pair *pair; /* where the two come from */
	size_t pair_place;        /* of its candidate, alphabetically */
	size_t next;              /* the next pair of roots to try after this one, or NO_ROOT */
};

struct root_list {
	struct root *roots; /* in the order of by_root() */
	size_t count;
};

static int bytes_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t len = a_len < b_len ? a_len : b_len;
	int order = len > 0 ? memcmp(a, b, len) : 0;

	return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

int rename_by_path(const void *a, const void *b)
{
	const struct rename_cgroup *cgroup_a, *cgroup_b;

	cgroup_a = *(const struct rename_cgroup *const *)a;
	cgroup_b = *(const struct rename_cgroup *const *)b;
	return bytes_compare(cgroup_a->path, cgroup_a->path_len, cgroup_b->path,
	                     cgroup_b->path_len);
}

/* Compares as bytes_compare(), but a slash comes first: everything below a path is right behind it. */
static int tree_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
	for (size_t i = 0; i < a_len && i < b_len; i++) {
		unsigned char byte_a = (unsigned char)a[i], byte_b = (unsigned char)b[i];

		if (byte_a == byte_b)
			continue;
		if (byte_a == '/' || byte_b == '/')
			return byte_a == '/' ? -1 : 1;
		return byte_a < byte_b ? -1 : 1;
	}
	return (a_len > b_len) - (a_len < b_len);
}

/* Backwards from any place, the longest candidate root comes first and then the alphabetically first baseline root. */
static int by_root(const void *a, const void *b)
{
	const struct root *root_a = a, *root_b = b;
	int order = tree_compare(root_a->candidate, root_a->candidate_len, root_b->candidate,
	                         root_b->candidate_len);

	if (order == 0)
		order = bytes_compare(root_b->baseline, root_b->baseline_len, root_a->baseline,
		                      root_a->baseline_len);
	if (order == 0)
		order = root_a->pair_place < root_b->pair_place ? -1 : 1;
	return order;
}

static bool same_root(const struct root *a, const struct root *b)
{
	return bytes_compare(a->candidate, a->candidate_len, b->candidate, b->candidate_len) == 0 &&
	       bytes_compare(a->baseline, a->baseline_len, b->baseline, b->baseline_len) == 0;
}

/* Returns where the last segment begins, behind its slash. */
static size_t last_segment(const char *path, size_t len)
{
	const char *slash = len > 0 ? memrchr(path, '/', len) : NULL;

	return slash ? (size_t)(slash - path) + 1 : 0;
}

static void find_roots(const struct rename_work *work, struct rename_pair *pair)
{
	const struct rename_cgroup *a = &work->candidate->cgroups[pair->candidate];
	const struct rename_cgroup *b = &work->baseline->cgroups[pair->baseline];
	size_t a_len = a->path_len, b_len = b->path_len;

	while (a_len > 0 && b_len > 0) {
		size_t a_start = last_segment(a->path, a_len);
		size_t b_start = last_segment(b->path, b_len);

		if (bytes_compare(a->path + a_start, a_len - a_start, b->path + b_start,
		                  b_len - b_start) != 0)
			break;
		a_len = a_start > 0 ? a_start - 1 : 0;
		b_len = b_start > 0 ? b_start - 1 : 0;
	}
	pair->candidate_root_len = a_len;
	pair->baseline_root_len = b_len;
}

/* Returns whether the path names a directory. One without a name behind a slash is the root of a hierarchy, or
 * empty. */
static bool names_directory(const char *path, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (path[i - 1] == '/' && path[i] != '/')
			return true;
	return false;
}

static bool is_within(const char *path, size_t len, const struct root *root)
{
	return len >= root->candidate_len &&
	       memcmp(path, root->candidate, root->candidate_len) == 0 &&
	       (len == root->candidate_len || path[root->candidate_len] == '/');
}

/* Returns the first pair of roots from @place backwards that applies to the path. */
static size_t next_root(const struct root_list *list, size_t place, const char *path, size_t len)
{
	while (place != NO_ROOT && !is_within(path, len, &list->roots[place]))
		place = list->roots[place].next;
	return place;
}

static void sort_roots(struct root_list *list)
{
	size_t count = 0;

	qsort(list->roots, list->count, sizeof(list->roots[0]), by_root);
	for (size_t i = 0; i < list->count; i++) {
		struct root *root = &list->roots[i];

		if (count > 0 && same_root(root, &list->roots[count - 1]))
			continue;
		root->next = next_root(list, count > 0 ? count - 1 : NO_ROOT, root->candidate,
		                       root->candidate_len);
		list->roots[count++] = *root;
	}
	list->count = count;
}

static void collect_roots(struct rename_work *work, struct root_list *list)
{
	list->roots = mem_calloc(work->candidate->count, sizeof(list->roots[0]));
	for (size_t place = 0; place < work->candidate->count; place++) {
		const struct rename_cgroup *cgroup = work->candidate_by_path[place];
		size_t candidate = (size_t)(cgroup - work->candidate->cgroups);
		struct rename_pair *pair = &work->pairs[candidate];
		const char *path;

		if (!work->paired[candidate])
			continue;
		find_roots(work, pair);
		path = work->baseline->cgroups[pair->baseline].path;
		if (names_directory(cgroup->path, pair->candidate_root_len) &&
		    names_directory(path, pair->baseline_root_len))
			list->roots[list->count++] =
			        (struct root){.candidate = cgroup->path,
			                      .candidate_len = pair->candidate_root_len,
			                      .baseline = path,
			                      .baseline_len = pair->baseline_root_len,
			                      .pair = pair,
			                      .pair_place = place};
	}
	sort_roots(list);
}

/* Returns the first pair of roots that applies to the path, or NO_ROOT. */
static size_t first_root(const struct root_list *list, const char *path, size_t len)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct root *root = &list->roots[middle];

		if (tree_compare(root->candidate, root->candidate_len, path, len) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return next_root(list, low > 0 ? low - 1 : NO_ROOT, path, len);
}

/* Returns the baseline cgroup at the cgroup's own place below the root, or NULL. */
static const struct rename_cgroup *find_moved(const struct rename_work *work,
                                              const struct root *root,
                                              const struct rename_cgroup *cgroup,
                                              struct strbuf *scratch)
{
	struct rename_cgroup moved = {0};
	const struct rename_cgroup *key = &moved, **found;

	strbuf_clear(scratch);
	strbuf_add(scratch, root->baseline, root->baseline_len);
	strbuf_add(scratch, cgroup->path + root->candidate_len,
	           cgroup->path_len - root->candidate_len);
	moved.path = scratch->data;
	moved.path_len = scratch->len;
	found = bsearch(&key, work->baseline_by_path, work->baseline->count, sizeof(*found),
	                rename_by_path);
	return found ? *found : NULL;
}

/* Counts by a search for each type of the smaller set: many small cgroups may belong to one that is large. */
static size_t count_common(const struct rename_cgroup *small, const struct rename_cgroup *large)
{
	size_t common = 0, low = 0;

	if (small->type_count > large->type_count)
		return count_common(large, small);
	for (size_t i = 0; i < small->type_count; i++) {
		size_t high = large->type_count;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (large->types[middle] < small->types[i])
				low = middle + 1;
			else
				high = middle;
		}
		common += low < large->type_count && large->types[low] == small->types[i];
	}
	return common;
}

static void add_pair(struct rename_work *work, const struct root *root,
                     const struct rename_cgroup *cgroup, const struct rename_cgroup *moved)
{
	size_t candidate = (size_t)(cgroup - work->candidate->cgroups);
	size_t overlap = count_common(cgroup, moved);
	size_t united = cgroup->type_count + moved->type_count - overlap;

	work->paired[candidate] = true;
	work->pairs[candidate] =
	        (struct rename_pair){.candidate = candidate,
	                             .baseline = (size_t)(moved - work->baseline->cgroups),
	                             .candidate_root_len = root->candidate_len,
	                             .baseline_root_len = root->baseline_len,
	                             .overlap = overlap,
	                             .jaccard = united > 0 ? (double)overlap / (double)united : 0,
	                             .cascaded = true};
	root->pair->children++;
}

static void cascade_one(struct rename_work *work, const struct root_list *list,
                        const struct rename_cgroup *cgroup, struct strbuf *scratch)
{
	size_t place = first_root(list, cgroup->path, cgroup->path_len);

	for (unsigned tries = 0; place != NO_ROOT && tries < ROOTS_TRIED_MAX; tries++) {
		const struct root *root = &list->roots[place];
		const struct rename_cgroup *moved = find_moved(work, root, cgroup, scratch);

		if (moved) {
			add_pair(work, root, cgroup, moved);
			return;
		}
		place = root->next;
	}
}

void rename_cascade(struct rename_work *work)
{
	cleanup_(strbuf_done) struct strbuf scratch = STRBUF_INIT;
	struct root_list list = {0};

	collect_roots(work, &list);
	for (size_t i = 0; i < work->candidate->count; i++)
		if (!work->candidate->cgroups[i].matched && !work->paired[i])
			cascade_one(work, &list, &work->candidate->cgroups[i], &scratch);
	free(list.roots);
}
