// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts/fact-groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "facts/cgroup-gone.h"
#include "facts/cgroup-lost.h"
#include "facts/cgroup-rates.h"
#include "group/group-by.h"
#include "group/normalise.h"
#include "group/path-name.h"

void cgroup_table_init(struct cgroup_table *table)
{
	*table = (struct cgroup_table){.map = STRMAP_INIT};
}

void cgroup_table_done(struct cgroup_table *table)
{
	for (size_t i = 0; i < table->map.count; i++) {
		struct cgroup_group *group = table->map.entries[i].value;

		cgroup_stats_done(&group->stats);
		cgroup_stats_done(&group->rates);
		cgroup_above_done(&group->above);
		keyed_values_done(&group->without_ids);
		keyed_values_done(&group->lost);
		keyed_values_done(&group->unjoined);
		free(group);
	}
	strmap_done(&table->map);
	strmap_done(&table->ids);
	cgroup_gone_done(table);
	cgroup_tree_done(&table->tree);
}

void cgroup_table_finish(struct cgroup_table *table)
{
	cgroup_gone_finish(table);
	cgroup_tree_finish(&table->tree);
}

/* A member without an interval lacks all of its counters. */
static void add_unjoined(struct cgroup_group *group, const struct cgroup_stats *stats)
{
	for (size_t i = 0; stats->interval_ns > 0 && i < stats->unjoined.count; i++) {
		const char *object = stats->unjoined.entries[i].key;

		keyed_values_add(&group->unjoined, object, strlen(object), 1);
	}
}

static struct cgroup_group *group_of(struct cgroup_table *table, struct span pattern)
{
	struct strmap_entry *entry = strmap_add(&table->map, pattern.text, pattern.len);
	struct cgroup_group *group;

	if (!entry->value)
		entry->value = mem_calloc(1, sizeof(struct cgroup_group));
	group = entry->value;
	group->pattern = (struct span){entry->key, entry->key_len};
	return group;
}

static void add_member(struct cgroup_table *table, struct cgroup_group *group,
                       const struct cgroup_stats *stats)
{
	if (table->keeps_ids)
		cgroup_lost_add(table, group, stats);
	cgroup_stats_merge(&group->stats, group->members, stats);
	group->members++;
	add_unjoined(group, stats);
	if (stats->interval_ns > 0)
		cgroup_rates_add(&group->rates, group->rate_members++, stats);
	else if (cgroup_counts(stats))
		group->rate_unknown = true;
	else if (stats->read_boottime_ns > 0)
		group->without_begin++;
}

/* Adds what the cgroups above it in the group do not have of it. */
static void add_nested(struct cgroup_group *group, uint64_t covered,
                       const struct cgroup_stats *stats)
{
	cgroup_stats_merge_nested(&group->stats, covered, stats);
	group->nested++;
	if (stats->interval_ns > 0)
		cgroup_rates_add_nested(&group->rates, covered, stats);
	else if (cgroup_counts(stats))
		group->rate_unknown = true;
	else if (stats->read_boottime_ns > 0)
		group->nested_lacking++;
}

void cgroup_table_add(struct cgroup_table *table, struct span pattern,
                      const struct cgroup_stats *stats)
{
	struct cgroup_group *group;
	uint64_t covered;

	if (stats->is_gone) {
		cgroup_gone_add(table, pattern, &stats->path, stats->is_v1);
		return;
	}
	group = group_of(table, pattern);
	if (cgroup_is_inside(table, group, stats, &covered))
		add_nested(group, covered, stats);
	else
		add_member(table, group, stats);
	cgroup_gone_leave_out(table, stats, group, covered | cgroup_stats_covered(stats));
	cgroup_tree_add(&table->tree, stats, group->pattern, &group->above);
}

const struct cgroup_stats *cgroup_group_rates(const struct cgroup_group *group)
{
	return group->rate_members > 0 && !group->rate_unknown ? &group->rates : NULL;
}

void smaps_table_init(struct smaps_table *table, bool literal, const struct host *host)
{
	*table = (struct smaps_table){.literal = literal, .host = host, .map = STRMAP_INIT};
}

void smaps_table_done(struct smaps_table *table)
{
	for (size_t i = 0; i < table->map.count; i++) {
		struct smaps_group *group = table->map.entries[i].value;

		free(group->first_name);
		keyed_values_done(&group->kib);
		free(group);
	}
	strmap_done(&table->map);
	strbuf_done(&table->key);
	strbuf_done(&table->name);
}

/* Makes the key and the name of the sample's process. */
static void make_key(struct smaps_table *table, const struct thread_sample *sample)
{
	strbuf_clear(&table->key);
	strbuf_clear(&table->name);
	strbuf_add(&table->name, strbuf_str(&sample->pcomm), sample->pcomm.len);
	if (!table->literal) {
		normalise_name(strbuf_str(&sample->pcomm), sample->pcomm.len, &table->key);
		return;
	}
	strbuf_addf(&table->name, "[%u]", sample->tgid);
	path_name_on_host(sample, table->host, false, &table->name);
	group_by_add_process(sample, table->host, &table->key);
}

static void note_name(struct smaps_group *group, const char *name, size_t len)
{
	if (!group->first_name) {
		group->first_name = mem_copy(name, len);
		group->first_name_len = len;
	} else if (len != group->first_name_len || memcmp(name, group->first_name, len) != 0) {
		group->several_names = true;
	}
}

/* Returns whether the process has memory that is not in the snapshot. A kernel thread has none, and neither has one that
 * exited. */
static bool is_unread(const struct thread_sample *sample)
{
	enum source_outcome outcome = sample->outcomes[SOURCE_smaps_rollup];

	return sample->tid == sample->tgid && sample->window_part != WINDOW_PART_exited &&
	       sample->window_part != WINDOW_PART_passed &&
	       (outcome == OUTCOME_denied || outcome == OUTCOME_skipped ||
	        outcome == OUTCOME_stalled || outcome == OUTCOME_malformed);
}

void smaps_table_add(struct smaps_table *table, const struct thread_sample *sample)
{
	const struct keyed_values *from = &sample->smaps_rollup_kib;
	struct strmap_entry *entry;
	struct smaps_group *group;

	if (!sample->has_smaps && !is_unread(sample))
		return;
	make_key(table, sample);
	entry = strmap_add(&table->map, strbuf_str(&table->key), table->key.len);
	if (!entry->value)
		entry->value = mem_calloc(1, sizeof(struct smaps_group));
	group = entry->value;
	if (!sample->has_smaps) {
		group->unread++;
		return;
	}
	group->processes++;
	note_name(group, strbuf_str(&table->name), table->name.len);
	for (size_t i = 0; i < from->count; i++) {
		const char *key = from->entries[i].key;
		struct keyed_value *sum = keyed_values_find(&group->kib, key, strlen(key), i);
		uint64_t value = from->entries[i].value;

		if (!sum)
			keyed_values_set(&group->kib, key, strlen(key), value);
		else
			saturating_add_to(&sum->value, value);
	}
}
