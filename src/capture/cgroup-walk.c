// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroup-walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cgroup/cgroup-open.h"
#include "cgroup/cgroup-read.h"
#include "cgroup/cgroup.h"
#include "group/cgroup-key.h"

void cgroup_walk_init(struct cgroup_walk *walk)
{
	*walk = (struct cgroup_walk){0};
	cgroup_v1_controllers_init(&walk->controllers);
}

void cgroup_walk_done(struct cgroup_walk *walk)
{
	strmap_done(&walk->v2);
	strmap_done(&walk->v1);
	strbuf_done(&walk->last);
}

/* The bits of an entry's value beside the controllers of version 1. */
enum {
	CONTROLLER_BITS = 16,
	/* The outcomes of cgroup_read_v2(), and a bit for its call. */
	CGROUP_IS_READ = CGROUP_READ_END << CONTROLLER_BITS,
};
_Static_assert((int)CGROUP_HAS_THREADS > (int)CGROUP_IS_READ, "an entry has room for outcomes");
_Static_assert((int)CGROUP_V1_CONTROLLERS_MAX <= (int)CONTROLLER_BITS,
               "controllers have room in an entry");

static uintptr_t bits_of(const struct strmap_entry *entry)
{
	return (uintptr_t)entry->value;
}

static uint32_t controllers_of(const struct strmap_entry *entry)
{
	return bits_of(entry) & ((1u << CONTROLLER_BITS) - 1);
}

static bool has_outcome(const struct strmap_entry *entry, unsigned outcome)
{
	return (bits_of(entry) >> CONTROLLER_BITS & outcome) != 0;
}

static void add_bits(struct strmap *paths, const char *path, size_t len, uintptr_t bits)
{
	struct strmap_entry *entry = strmap_add(paths, path, len);

	entry->value = (void *)(bits_of(entry) | bits);
}

/* Threads of one process follow one another and nearly always share their cgroups. */
void cgroup_walk_note(struct cgroup_walk *walk, const char *text, size_t len)
{
	struct span rest = {text, len};
	struct cgroup_line line;
	bool has_v2 = false;

	if (len == 0 || (len == walk->last.len && memcmp(text, walk->last.data, len) == 0))
		return;
	strbuf_clear(&walk->last);
	strbuf_add(&walk->last, text, len);
	while (cgroup_next_line(&walk->controllers, &rest, &line)) {
		uint32_t controllers = line.controllers & walk->controllers.with_values;

		if (cgroup_path_is_cut(line.path)) {
			has_v2 = has_v2 || line.is_v2;
		} else if (line.is_v2 && !has_v2) {
			add_bits(&walk->v2, line.path.text, line.path.len, CGROUP_HAS_THREADS);
			has_v2 = true;
		} else if (controllers != 0) {
			add_bits(&walk->v1, line.path.text, line.path.len,
			         controllers | (uintptr_t)CGROUP_HAS_THREADS);
		}
	}
}

static void merge_paths(struct strmap *paths, const struct strmap *other)
{
	for (size_t i = 0; i < other->count; i++) {
		const struct strmap_entry *from = &other->entries[i];

		add_bits(paths, from->key, from->key_len, bits_of(from));
	}
}

void cgroup_walk_merge(struct cgroup_walk *walk, const struct cgroup_walk *other)
{
	merge_paths(&walk->v2, &other->v2);
	merge_paths(&walk->v1, &other->v1);
}

static void follow_paths(struct strmap *paths, const struct strmap *before)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct strmap_entry *from = &before->entries[i];

		if (has_outcome(from, CGROUP_READ_DONE))
			add_bits(paths, from->key, from->key_len, controllers_of(from));
	}
}

void cgroup_walk_follow(struct cgroup_walk *walk, const struct cgroup_walk *before)
{
	follow_paths(&walk->v2, &before->v2);
	follow_paths(&walk->v1, &before->v1);
}

static int compare_entries(const void *a, const void *b)
{
	const struct strmap_entry *entry_a = *(const struct strmap_entry *const *)a;
	const struct strmap_entry *entry_b = *(const struct strmap_entry *const *)b;
	size_t shorter = entry_a->key_len < entry_b->key_len ? entry_a->key_len : entry_b->key_len;
	int order = memcmp(entry_a->key, entry_b->key, shorter);

	if (order != 0)
		return order;
	return (entry_a->key_len > entry_b->key_len) - (entry_a->key_len < entry_b->key_len);
}

/* Returns those of the controllers of version 1 whose mount shows the cgroup with this path. */
static uint32_t controllers_below(const struct cgroup_mounts *mounts, uint32_t controllers,
                                  const struct strbuf *path)
{
	uint32_t shown = 0;

	for (size_t i = 0; i < CGROUP_V1_CONTROLLERS_MAX; i++)
		if (controllers & UINT32_C(1) << i && cgroup_is_below(&mounts->v1[i], path))
			shown |= UINT32_C(1) << i;
	return shown;
}

/* Changes the path of a cgroup into that of the one above it, and leaves the controllers of version 1 that show that one. Returns
 * false if none does. Only a mount that was made outside of our cgroup namespace shows the cgroups above the namespace's root. */
static bool climb(const struct cgroup_mounts *mounts, struct strbuf *path, uint32_t *controllers)
{
	if (!cgroup_path_climb(path))
		return false;
	if (path->data[path->len - 1] != '.' || !cgroup_path_is_above_root(strbuf_str(path)))
		return true;
	if (*controllers == 0)
		return cgroup_is_below(&mounts->unified, path);
	*controllers = controllers_below(mounts, *controllers, path);
	return *controllers != 0;
}

static unsigned depth_of(const struct strbuf *path)
{
	unsigned depth = 0;

	for (size_t i = 0; i < path->len; i++)
		depth += path->data[i] == '/';
	return depth;
}

/* Adds the ancestors of the cgroups, since their limits apply to all cgroups below. A user who may make cgroups may make thousands below
 * one another: those deeper than CGROUP_DEPTH_MAX are left out, for the time to open them grows with the square of their number. */
static void add_ancestors(struct strmap *paths, const struct cgroup_mounts *mounts)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	for (size_t i = 0, count = paths->count; i < count; i++) {
		uint32_t controllers = controllers_of(&paths->entries[i]);

		if (bits_of(&paths->entries[i]) & CGROUP_IS_READ)
			continue;
		strbuf_clear(&path);
		strbuf_add(&path, paths->entries[i].key, paths->entries[i].key_len);
		while (climb(mounts, &path, &controllers)) {
			uint32_t place;
			bool known = strmap_find(paths, path.data, path.len, &place) &&
			             (bits_of(&paths->entries[place]) & controllers) == controllers;

			if (known)
				break;
			if (depth_of(&path) > CGROUP_DEPTH_MAX)
				continue;
			add_bits(paths, path.data, path.len, controllers);
		}
	}
}

static int read_entry(struct cgroup_reader *reader, struct strmap_entry *entry, bool is_v1,
                      struct cgroup_sink *sink)
{
	struct span path = {entry->key, entry->key_len};
	int r = is_v1 ? cgroup_read_v1(reader, path, controllers_of(entry))
	              : cgroup_read_v2(reader, path);

	if (r < 0)
		return r;
	entry->value = (void *)(bits_of(entry) | CGROUP_IS_READ | (uintptr_t)r << CONTROLLER_BITS);
	return r & CGROUP_READ_DONE ? sink->add(sink, &reader->stats) : 0;
}

static int read_all(struct cgroup_reader *reader, struct strmap *paths, bool is_v1,
                    struct cgroup_sink *sink)
{
	struct strmap_entry **sorted = mem_calloc(paths->count + 1, sizeof(*sorted));
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; i < paths->count; i++)
		if (!(bits_of(&paths->entries[i]) & CGROUP_IS_READ))
			sorted[count++] = &paths->entries[i];
	qsort(sorted, count, sizeof(*sorted), compare_entries);
	for (size_t i = 0; i < count && r >= 0; i++)
		r = read_entry(reader, sorted[i], is_v1, sink);
	free(sorted);
	return r < 0 ? r : 0;
}

static void tally_all(const struct strmap *paths, struct snapshot_tally *tally)
{
	for (size_t i = 0; i < paths->count; i++) {
		const struct strmap_entry *entry = &paths->entries[i];

		/* Limits lack what is denied above. */
		tally->cgroups_denied += has_outcome(entry, CGROUP_READ_DENIED);
		if (!(bits_of(entry) & CGROUP_HAS_THREADS)) {
			tally->cgroup_ancestors += has_outcome(entry, CGROUP_READ_DONE);
			continue;
		}
		tally->cgroups += has_outcome(entry, CGROUP_READ_DONE);
		tally->cgroups_outside += has_outcome(entry, CGROUP_READ_OUTSIDE);
		tally->cgroups_gone += has_outcome(entry, CGROUP_READ_GONE);
	}
}

int cgroup_walk_read(struct cgroup_walk *walk, const struct cgroup_mounts *mounts,
                     struct cgroup_sink *sink, struct snapshot_tally *tally)
{
	cleanup_(cgroup_reader_done) struct cgroup_reader reader;
	int r;

	add_ancestors(&walk->v2, mounts);
	add_ancestors(&walk->v1, mounts);
	cgroup_reader_init(&reader, mounts, &walk->controllers, walk->tree_boottime_ns);
	r = read_all(&reader, &walk->v2, false, sink);
	if (r == 0)
		r = read_all(&reader, &walk->v1, true, sink);
	if (r < 0)
		return r;
	tally->cgroup_ancestors = 0;
	tally->cgroups = tally->cgroups_denied = tally->cgroups_outside = tally->cgroups_gone = 0;
	tally_all(&walk->v2, tally);
	tally_all(&walk->v1, tally);
	return 0;
}
