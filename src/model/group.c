// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/group.h"

#include <stdlib.h>
#include <string.h>

#include "ctprof/mem.h"
#include "ctprof/normalise.h"

/* clang-format off */
const struct group_key_desc group_key_table[GROUP_KEY_COUNT] = {
#define GROUP_KEY(id_, name_, heading_, field_, normalised_, text_)                                \
	[GROUP_KEY_##id_] = {name_, heading_, text_, normalised_},
#include "group-keys.def"
#undef GROUP_KEY
};

static const struct strbuf *name_of(enum group_key key, const struct thread_sample *sample)
{
	switch (key) {
#define GROUP_KEY(id_, name_, heading_, field_, normalised_, text_)                                \
	case GROUP_KEY_##id_:                                                                      \
		return &sample->field_;
#include "group-keys.def"
#undef GROUP_KEY
	case GROUP_KEY_COUNT:
		break;
	}
	return &sample->comm;
}
/* clang-format on */

void group_table_init(struct group_table *table, enum group_key key, bool literal)
{
	*table = (struct group_table){.key = key,
	                              .normalise = group_key_table[key].normalised && !literal,
	                              .map = STRMAP_INIT};
}

static struct group *group_free(struct group *group)
{
	group_cells_done(group->cells);
	free(group->first_name);
	free(group);
	return NULL;
}

void group_table_done(struct group_table *table)
{
	for (size_t i = 0; i < table->map.count; i++)
		group_free(table->map.entries[i].value);
	strmap_done(&table->map);
	strbuf_done(&table->scratch);
}

static void note_name(struct group *group, const char *name, size_t len)
{
	if (!group->first_name) {
		group->first_name = mem_copy(name, len);
		group->first_name_len = len;
	} else if (len != group->first_name_len || memcmp(name, group->first_name, len) != 0) {
		group->several_names = true;
	}
}

/* A hash of a thread's identity; the sum over a group is its fingerprint. */
static uint64_t member_hash(const struct thread_sample *sample)
{
	uint64_t hash = (uint64_t)sample->tgid << 32 | sample->tid;

	hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	hash ^= sample->start_time_clock_ticks;
	hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
	return hash ^ (hash >> 31);
}

void group_table_add(struct group_table *table, struct thread_sample *sample)
{
	/* A real path starts with a slash, so this is nobody's. */
	static const char no_cgroup[] = "(no cgroup)";
	const struct strbuf *field = name_of(table->key, sample);
	const char *name = strbuf_str(field), *key = name;
	size_t len = field->len, key_len;
	struct strmap_entry *entry;
	struct group *group;

	if (field == &sample->cgroup && !sample->has_cgroup) {
		name = key = no_cgroup;
		len = strlen(no_cgroup);
	}
	key_len = len;
	if (table->normalise) {
		strbuf_clear(&table->scratch);
		normalise_name(name, len, &table->scratch);
		key = strbuf_str(&table->scratch);
		key_len = table->scratch.len;
	}
	entry = strmap_add(&table->map, key, key_len);
	if (!entry->value)
		entry->value = mem_calloc(1, sizeof(struct group));
	group = entry->value;
	note_name(group, name, len);

	sample_set(sample, thread_count, (struct counter_count){1});
	group->threads++;
	group->leaders += sample->tid == sample->tgid;
	group->members += member_hash(sample);
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_set_has(&sample->seen, (enum metric_id)i))
			metric_table[i].fold(&group->cells[i],
			                     sample_value(sample, (enum metric_id)i));
}

struct group *group_table_get(const struct group_table *table, const char *key, size_t key_len)
{
	return strmap_get(&table->map, key, key_len);
}

void group_table_total(const struct group_table *table, struct fold_cell cells[METRIC_COUNT])
{
	for (size_t g = 0; g < table->map.count; g++) {
		const struct group *group = table->map.entries[g].value;

		for (unsigned i = 0; i < METRIC_COUNT; i++)
			fold_merge((enum metric_id)i, &cells[i], &group->cells[i]);
	}
}

void group_cells_done(struct fold_cell cells[METRIC_COUNT])
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		fold_cell_done((enum metric_id)i, &cells[i]);
}

uint32_t group_threads_for(const struct group *group, enum metric_id metric)
{
	return metric_is_leader_only(metric) ? group->leaders : group->threads;
}
