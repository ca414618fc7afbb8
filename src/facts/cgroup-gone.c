// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts/cgroup-gone.h"

#include <stdlib.h>

#include "base/mem.h"

/* The version is in front of the path. */
static void set_key(struct strbuf *key, const struct strbuf *path, bool is_v1)
{
	strbuf_clear(key);
	strbuf_add_char(key, is_v1 ? '1' : '2');
	strbuf_add(key, strbuf_str(path), path->len);
}

void cgroup_gone_add(struct cgroup_table *table, struct span pattern, const struct strbuf *path,
                     bool is_v1)
{
	struct strmap_entry *entry;
	struct span *kept;

	set_key(&table->scratch, path, is_v1);
	entry = strmap_add(&table->gone, strbuf_str(&table->scratch), table->scratch.len);
	if (entry->value)
		return;
	kept = entry->value = mem_calloc(1, sizeof(*kept));
	*kept = pattern;
}

/* A cgroup with values. */
struct place {
	const struct cgroup_group *group;
	uint64_t covered;
};

void cgroup_gone_leave_out(struct cgroup_table *table, const struct cgroup_stats *stats,
                           struct cgroup_group *group, uint64_t covered)
{
	struct strmap_entry *entry;
	struct place *place;

	set_key(&table->scratch, &stats->path, stats->is_v1);
	entry = strmap_add(&table->with_values, strbuf_str(&table->scratch), table->scratch.len);
	if (!entry->value)
		entry->value = mem_calloc(1, sizeof(struct place));
	place = entry->value;
	*place = (struct place){group, covered};
}

static const struct place *place_in(const struct cgroup_table *table,
                                    const struct cgroup_group *group, const char *key, size_t len)
{
	const struct place *place = strmap_get(&table->with_values, key, len);

	return place && place->group == group ? place : NULL;
}

/* Returns the next one above in the group. @key is the path behind the version. */
static const struct place *place_above(const struct cgroup_table *table,
                                       const struct cgroup_group *group, const char *key,
                                       size_t len)
{
	enum { ROOT_BYTES = 2 };
	const struct place *place = NULL;
	bool is_root = len <= ROOT_BYTES;

	while (!place && len-- > ROOT_BYTES)
		if (key[len] == '/')
			place = place_in(table, group, key, len);
	return place || is_root ? place : place_in(table, group, key, ROOT_BYTES);
}

bool cgroup_is_inside(struct cgroup_table *table, const struct cgroup_group *group,
                      const struct cgroup_stats *stats, uint64_t *ret_covered)
{
	const struct place *above;

	set_key(&table->scratch, &stats->path, stats->is_v1);
	above = place_above(table, group, strbuf_str(&table->scratch), table->scratch.len);
	*ret_covered = above ? above->covered : 0;
	return above != NULL;
}

void cgroup_gone_finish(struct cgroup_table *table)
{
	for (size_t i = 0; i < table->gone.count; i++) {
		const struct strmap_entry *entry = &table->gone.entries[i];
		const struct span *pattern = entry->value;
		struct cgroup_group *group;

		if (strmap_find(&table->with_values, entry->key, entry->key_len, &(uint32_t){0}))
			continue;
		group = strmap_get(&table->map, pattern->text, pattern->len);
		if (!group)
			continue;
		if (place_above(table, group, entry->key, entry->key_len))
			group->nested_lacking++;
		else
			group->gone++;
	}
}

void cgroup_gone_done(struct cgroup_table *table)
{
	for (size_t i = 0; i < table->gone.count; i++)
		free(table->gone.entries[i].value);
	for (size_t i = 0; i < table->with_values.count; i++)
		free(table->with_values.entries[i].value);
	strmap_done(&table->gone);
	strmap_done(&table->with_values);
	strbuf_done(&table->scratch);
}
