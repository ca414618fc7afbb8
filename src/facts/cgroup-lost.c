// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts/cgroup-lost.h"

#include <string.h>

static uint64_t count_of(const struct keyed_values *counts, const char *hierarchy)
{
	const struct keyed_value *count =
	        keyed_values_find(counts, hierarchy, strlen(hierarchy), 0);

	return count ? count->value : 0;
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
		keyed_values_add(&group->with_ids, id->key, strlen(id->key), 1);
	}
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
		if (!there || count_of(&there->with_ids, hierarchy) < there->members)
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
