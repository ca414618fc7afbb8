// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts/cgroup-path.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "facts/cgroup-rates.h"
#include "group/cgroup-key.h"

enum { MILLION = 1000000 };

/* The values of each limit, of version 1 and of version 2. A cgroup of version 2 that has @with has the limit, too. */
static const struct {
	bool has[2];
	enum cgroup_value_id ids[2], with;
} limit_values[CGROUP_LIMIT_COUNT] = {
        [CGROUP_LIMIT_cpu] = {{true, true},
                              {CGROUP_VALUE_cpu_v1_quota_us, CGROUP_VALUE_cpu_max_quota_us},
                              CGROUP_VALUE_cpu_weight},
        [CGROUP_LIMIT_memory] = {{true, true},
                                 {CGROUP_VALUE_memory_v1_limit, CGROUP_VALUE_memory_max},
                                 CGROUP_VALUE_memory_current},
        [CGROUP_LIMIT_memory_high] = {{false, true},
                                      {0, CGROUP_VALUE_memory_high},
                                      CGROUP_VALUE_memory_current},
        [CGROUP_LIMIT_pids] = {{true, true},
                               {CGROUP_VALUE_pids_v1_max, CGROUP_VALUE_pids_max},
                               CGROUP_VALUE_pids_current},
};

void cgroup_above_done(struct cgroup_above *above)
{
	strmap_done(&above->throttlers);
}

bool cgroup_above_knows_throttling(const struct cgroup_above *above)
{
	return above->throttling_seen && (!above->throttling_hidden || above->throttler_count > 0);
}

void cgroup_tree_done(struct cgroup_tree *tree)
{
	strmap_done(&tree->places);
	free(tree->nodes);
	*tree = (struct cgroup_tree){0};
}

/* A snapshot may hold any number. */
static bool number_of(const struct cgroup_stats *stats, enum cgroup_value_id id, uint64_t *ret)
{
	const struct fact_value *value = &stats->values[id];

	if (value->state != FACT_NUMBER || value->number < 0)
		return false;
	*ret = (uint64_t)value->number;
	return true;
}

static void set_limits(struct cgroup_node *node, const struct cgroup_stats *stats)
{
	unsigned version = stats->is_v1 ? 0 : 1;

	for (unsigned i = 0; i < CGROUP_LIMIT_COUNT; i++) {
		enum cgroup_value_id id = limit_values[i].ids[version];

		if (!limit_values[i].has[version])
			continue;
		node->places[i] = cgroup_stats_place(stats, cgroup_value_table[id].object);
		if (stats->values[id].state == FACT_UNLIMITED)
			node->states[i] = FACT_UNLIMITED;
		else if (number_of(stats, id, &node->limits[i]))
			node->states[i] = FACT_NUMBER;
	}
}

/* A quota needs its period. */
static void scale_cpu_limit(struct cgroup_node *node, const struct cgroup_stats *stats)
{
	uint64_t period, *quota = &node->limits[CGROUP_LIMIT_cpu];

	if (node->states[CGROUP_LIMIT_cpu] != FACT_NUMBER)
		return;
	if (!number_of(stats,
	               stats->is_v1 ? CGROUP_VALUE_cpu_v1_period_us
	                            : CGROUP_VALUE_cpu_max_period_us,
	               &period) ||
	    period == 0 || *quota > INT64_MAX / MILLION)
		node->states[CGROUP_LIMIT_cpu] = FACT_UNSEEN;
	else
		*quota = *quota * MILLION / period;
}

/* Notes limits that could not be read, beside other values of their controller. */
static void set_unread(struct cgroup_node *node, const struct cgroup_stats *stats)
{
	for (unsigned i = 0; !stats->is_v1 && i < CGROUP_LIMIT_COUNT; i++)
		node->unread[i] = node->states[i] == FACT_UNSEEN &&
		                  stats->values[limit_values[i].with].state != FACT_UNSEEN;
}

static void set_throttling(struct cgroup_node *node, const struct cgroup_stats *stats)
{
	uint64_t ns;

	node->has_throttling = number_of(
	        stats, stats->is_v1 ? CGROUP_VALUE_cpu_v1_nr_throttled : CGROUP_VALUE_nr_throttled,
	        &node->periods);
	if (!stats->is_v1)
		(void)number_of(stats, CGROUP_VALUE_throttled_usec, &node->usec);
	else if (number_of(stats, CGROUP_VALUE_cpu_v1_throttled_ns, &ns))
		node->usec = ns / NS_PER_US;
}

/* The version is in front of the path. */
static void make_key(bool is_v1, const char *path, size_t len, struct strbuf *key)
{
	strbuf_clear(key);
	strbuf_add_char(key, is_v1 ? '1' : '2');
	strbuf_add(key, path, len);
}

void cgroup_tree_add(struct cgroup_tree *tree, const struct cgroup_stats *stats,
                     struct span pattern, struct cgroup_above *above)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;
	struct strmap_entry *entry;
	struct cgroup_node *node;
	uint64_t use_hierarchy;

	make_key(stats->is_v1, strbuf_str(&stats->path), stats->path.len, &key);
	entry = strmap_add(&tree->places, strbuf_str(&key), key.len);
	/* A cgroup that a file has twice counts once. */
	if (entry->value)
		return;
	node = array_add(tree->nodes, tree->count, tree->capacity);
	entry->value = (void *)(uintptr_t)tree->count;
	*node = (struct cgroup_node){.path = {entry->key + 1, entry->key_len - 1},
	                             .is_v1 = stats->is_v1,
	                             .pattern = pattern,
	                             .above = above,
	                             .interval_ns = stats->interval_ns};
	node->is_flat = stats->is_v1 &&
	                number_of(stats, CGROUP_VALUE_memory_v1_use_hierarchy, &use_hierarchy) &&
	                use_hierarchy == 0;
	set_limits(node, stats);
	scale_cpu_limit(node, stats);
	set_unread(node, stats);
	set_throttling(node, stats);
}

/* Returns whether the cgroup above is in the hierarchy of the limit. A path of version 1 is that of a cgroup in some of
 * the hierarchies only: a cgroup above it in another one is not above this cgroup. Version 2 has one hierarchy, and a
 * controller can limit the cgroup without being enabled down to it. */
static bool is_in_hierarchy(const struct cgroup_node *below, unsigned limit)
{
	return !below->is_v1 || below->states[limit] != FACT_UNSEEN;
}

/* The way from a cgroup to the root of its hierarchy. A cgroup has a controller only if those above have it, all but the root itself:
 * one that lacks a value could not be read if a cgroup below it has the value. */
struct way {
	const struct cgroup_node *node;
	bool can_be_root; /* this one */
	/* This one is not the root of the hierarchy of the limit, or the last one in it is not. */
	bool is_below[CGROUP_LIMIT_COUNT];
	struct cgroup_bound bounds[CGROUP_LIMIT_COUNT];
	bool seen[CGROUP_LIMIT_COUNT], hidden[CGROUP_LIMIT_COUNT];
	bool ended[CGROUP_LIMIT_COUNT]; /* the limits of those above do not hold here */
	bool throttling_seen, throttling_hidden;
};

/* Adds the limits of @node, which is the way's own or above it. */
static void lower_bounds(struct way *way, const struct cgroup_node *node)
{
	for (unsigned i = 0; i < CGROUP_LIMIT_COUNT; i++) {
		struct cgroup_bound *bound = &way->bounds[i];

		if (way->ended[i] || node->states[i] == FACT_UNSEEN ||
		    !is_in_hierarchy(way->node, i) ||
		    (node->states[i] == FACT_UNLIMITED && bound->state != FACT_UNSEEN) ||
		    (bound->state == FACT_NUMBER && bound->number <= node->limits[i]))
			continue;
		bound->state = node->states[i];
		bound->number = node->limits[i];
		bound->by = node->states[i] == FACT_NUMBER ? node->pattern : (struct span){0};
	}
}

/* The limit of a group is the largest one of its members; it has none, or an unknown one, if a member has. */
static void merge_bound(struct cgroup_bound *into, const struct cgroup_bound *from)
{
	if (into->state != FACT_NUMBER || from->state == FACT_UNSEEN) {
		if (from->state == FACT_UNSEEN)
			*into = *from;
		return;
	}
	if (from->state == FACT_UNLIMITED || from->number > into->number) {
		*into = *from;
		return;
	}
	if (from->number != into->number)
		return;
	into->several = into->several || !span_equal(from->by, into->by);
	into->hidden = into->hidden && from->hidden;
}

/* Each cgroup above counts once for a group, however many of the group's cgroups are below it. */
static void add_throttler(struct cgroup_above *above, const struct cgroup_node *node, size_t place)
{
	struct strmap_entry *entry =
	        strmap_add(&above->throttlers, (const char *)&place, sizeof(place));

	if (entry->value)
		return;
	entry->value = (void *)1;
	above->has_rates =
	        (above->throttler_count == 0 || above->has_rates) && node->interval_ns > 0;
	above->throttler_count++;
	saturating_add_to(&above->periods, node->periods);
	saturating_add_to(&above->usec, node->usec);
	if (above->has_rates &&
	    (__builtin_add_overflow(above->periods_rate,
	                            cgroup_rate(node->periods, node->interval_ns),
	                            &above->periods_rate) ||
	     __builtin_add_overflow(above->usec_rate, cgroup_rate(node->usec, node->interval_ns),
	                            &above->usec_rate)))
		above->has_rates = false;
	if (!above->by.text || node->usec > above->by_usec) {
		above->by = node->pattern;
		above->by_usec = node->usec;
	}
}

static const struct cgroup_node *find(const struct cgroup_tree *tree, bool is_v1,
                                      const struct strbuf *path, struct strbuf *key)
{
	uintptr_t place;

	make_key(is_v1, path->data, path->len, key);
	place = (uintptr_t)strmap_get(&tree->places, strbuf_str(key), key->len);
	return place > 0 ? &tree->nodes[place - 1] : NULL;
}

/* Returns whether nothing can be above, in the hierarchy of the limit. */
static bool can_be_root(const struct way *way, unsigned limit)
{
	return way->can_be_root && !way->is_below[limit];
}

/* Adds the limits of the cgroup or of the next one above it; NULL: it could not be read. */
static void add_limits(struct way *way, const struct cgroup_node *above)
{
	if (above)
		lower_bounds(way, above);
	for (unsigned i = 0; i < CGROUP_LIMIT_COUNT; i++)
		if (way->ended[i])
			continue;
		else if (above && above->states[i] != FACT_UNSEEN && is_in_hierarchy(way->node, i))
			way->seen[i] = true;
		else if (above && above->unread[i])
			way->hidden[i] = true;
		else if (way->seen[i] && !can_be_root(way, i))
			way->hidden[i] = true;
}

/* Each one counts, so that the difference of two lives is what happened in between, whichever was throttled. */
static void add_throttling(const struct cgroup_tree *tree, struct way *way,
                           const struct cgroup_node *above)
{
	const struct cgroup_node *node = way->node;

	if (node->is_v1 && !node->has_throttling)
		return;
	if (!above || !above->has_throttling) {
		if (way->throttling_seen && !can_be_root(way, CGROUP_LIMIT_cpu))
			way->throttling_hidden = true;
		return;
	}
	way->throttling_seen = node->above->throttling_seen = true;
	/* The kernel counts a period at its end, and may not come to that. */
	if (above->periods > 0 || above->usec > 0)
		add_throttler(node->above, above, (size_t)(above - tree->nodes));
}

/* Puts the end of the way into the group. There is no limit only if none was hidden; beside a hidden one, the limit may be lower. */
static void end_way(const struct way *way)
{
	struct cgroup_above *above = way->node->above;

	for (unsigned i = 0; i < CGROUP_LIMIT_COUNT; i++) {
		struct cgroup_bound bound = way->bounds[i];

		if (way->hidden[i] && bound.state == FACT_UNLIMITED)
			bound = (struct cgroup_bound){0};
		bound.hidden = way->hidden[i] && bound.state == FACT_NUMBER;
		if (above->members == 0)
			above->bounds[i] = bound;
		else
			merge_bound(&above->bounds[i], &bound);
	}
	above->throttling_hidden = above->throttling_hidden || way->throttling_hidden;
	above->members++;
}

/* A cgroup of version 1 that is above the root of a namespace may be in another hierarchy than the limit. */
static void find_place(struct way *way, const struct strbuf *path, const struct cgroup_node *node)
{
	bool is_root = path->len == 1;

	way->can_be_root = is_root || cgroup_path_is_above_root(strbuf_str(path));
	for (unsigned i = 0; i < CGROUP_LIMIT_COUNT; i++)
		if (node && node->places[i] != CGROUP_PLACE_UNKNOWN)
			way->is_below[i] = node->places[i] == CGROUP_PLACE_BELOW;
		else if (is_root)
			way->is_below[i] = false;
}

/* Adds what is above the last cgroup of the way that was found: the root of a namespace has cgroups above it that nobody in the
 * namespace can read. */
static void add_beyond(const struct cgroup_tree *tree, struct way *way)
{
	way->can_be_root = true;
	add_limits(way, NULL);
	add_throttling(tree, way, NULL);
}

/* The cgroups above the root of a namespace are known only if they were readable. */
static void resolve(const struct cgroup_tree *tree, const struct cgroup_node *node,
                    struct strbuf *path, struct strbuf *key)
{
	struct way way = {.node = node, .throttling_seen = node->has_throttling};

	strbuf_clear(path);
	strbuf_add(path, node->path.text, node->path.len);
	find_place(&way, path, node);
	add_limits(&way, node);
	while (cgroup_path_climb(path)) {
		const struct cgroup_node *parent = find(tree, node->is_v1, path, key);

		if (!parent && cgroup_path_is_above_root(strbuf_str(path)))
			break;
		find_place(&way, path, parent);
		way.ended[CGROUP_LIMIT_memory] =
		        way.ended[CGROUP_LIMIT_memory] || (parent && parent->is_flat);
		add_limits(&way, parent);
		add_throttling(tree, &way, parent);
	}
	add_beyond(tree, &way);
	end_way(&way);
}

void cgroup_tree_finish(struct cgroup_tree *tree)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT, key = STRBUF_INIT;

	for (size_t i = 0; i < tree->count; i++)
		resolve(tree, &tree->nodes[i], &path, &key);
}
