// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts/cgroup-lost.h"

#include <string.h>

static uint64_t count_of(const struct keyed_values *counts, const char *hierarchy)
{
	const struct keyed_value *count =
	        keyed_values_find(counts, hierarchy, strlen(hierarchy), 0);

	return count ? count->value : 0;
}

static bool has_id(const struct cgroup_stats *stats, const char *hierarchy)
{
	return keyed_values_find(&stats->ids, hierarchy, strlen(hierarchy), 0) != NULL;
}

/* Counts the hierarchies that the cgroup is in without a number: it has values of theirs. */
static void add_without_ids(struct cgroup_group *group, const struct cgroup_stats *stats)
{
	if (!stats->is_v1 && !has_id(stats, CGROUP_ID_UNIFIED))
		keyed_values_add(&group->without_ids, CGROUP_ID_UNIFIED, strlen(CGROUP_ID_UNIFIED),
		                 1);
	for (unsigned i = 0; stats->is_v1 && i < CGROUP_VALUE_COUNT; i++) {
		const char *hierarchy = cgroup_value_table[i].object;

		if (cgroup_value_table[i].version == 1 && stats->values[i].state != FACT_UNSEEN &&
		    !has_id(stats, hierarchy))
			keyed_values_add(&group->without_ids, hierarchy, strlen(hierarchy), 1);
	}
}

void cgroup_lost_add(struct cgroup_table *table, struct cgroup_group *group,
                     const struct cgroup_stats *stats)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;

	for (size_t i = 0; i < stats->ids.count; i++) {
		const struct keyed_value *id = &stats->ids.entries[i];

		strbuf_clear(&key);
		strbuf_add(&key, id->key, strlen(id->key) + 1);
		strbuf_add(&key, (const char *)&id->value, sizeof(id->value));
		strmap_add(&table->ids, strbuf_str(&key), key.len)->value = group;
	}
	add_without_ids(group, stats);
}

void cgroup_table_find_lost(struct cgroup_table *table, const struct cgroup_table *other)
{
	for (size_t i = 0; i < table->ids.count; i++) {
		const struct strmap_entry *entry = &table->ids.entries[i];
		struct cgroup_group *group = entry->value;
		const struct cgroup_group *there =
		        strmap_get(&other->map, group->pattern.text, group->pattern.len);
		const char *hierarchy = entry->key;

		/* A cgroup whose number was not read may be this one. */
		if (!there || count_of(&there->without_ids, hierarchy) > 0)
			continue;
		if (strmap_get(&other->ids, entry->key, entry->key_len) != there)
			keyed_values_add(&group->lost, hierarchy, strlen(hierarchy), 1);
	}
}

bool cgroup_groups_have_lost(const struct cgroup_group *const *groups, unsigned count,
                             const char *hierarchy)
{
	for (unsigned i = 0; i < count; i++)
		if (groups[i] && count_of(&groups[i]->lost, hierarchy) > 0)
			return true;
	return false;
}

const char *cgroup_lost_hierarchy(const struct cgroup_value_desc *desc)
{
	if (desc->window == FACT_WINDOW_END)
		return NULL;
	return desc->version == 1 ? desc->object : CGROUP_ID_UNIFIED;
}
