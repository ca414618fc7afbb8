// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/group.h"

#include <stdlib.h>
#include <string.h>

#include "ctprof/mem.h"
#include "ctprof/normalise.h"
#include "group-process.h"

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
	free(group->exited);
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
	strbuf_done(&table->name);
	group_process_done(&table->process);
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
static uint64_t member_hash(uint32_t tgid, uint32_t tid, uint64_t start_time_clock_ticks)
{
	uint64_t hash = (uint64_t)tgid << 32 | tid;

	hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	hash ^= start_time_clock_ticks;
	hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
	return hash ^ (hash >> 31);
}

/* A real path starts with a slash, so the first is nobody's; the second tells a path of version 1 apart. */
static const char no_cgroup[] = "(no cgroup)", v1_prefix[] = "v1:";

/* Longer than a thread's name can be, so no thread can pass for it. */
const char group_exited_suffix[] = " (exited threads)";

static void add_cgroup_name(bool has_cgroup, bool is_v1, const struct strbuf *path,
                            struct strbuf *out)
{
	if (!has_cgroup) {
		strbuf_add_str(out, no_cgroup);
		return;
	}
	if (is_v1)
		strbuf_add_str(out, v1_prefix);
	strbuf_add(out, strbuf_str(path), path->len);
}

/* The group that table->name belongs to, made where it is new. */
static struct group *group_of_name(struct group_table *table)
{
	const struct strbuf *key = &table->name;
	struct strmap_entry *entry;

	if (table->normalise) {
		strbuf_clear(&table->scratch);
		normalise_name(strbuf_str(&table->name), table->name.len, &table->scratch);
		key = &table->scratch;
	}
	entry = strmap_add(&table->map, strbuf_str(key), key->len);
	if (!entry->value)
		entry->value = mem_calloc(1, sizeof(struct group));
	note_name(entry->value, strbuf_str(&table->name), table->name.len);
	return entry->value;
}

static void add_to_cells(struct group *group, const struct thread_sample *sample)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_set_has(&sample->seen, (enum metric_id)i))
			metric_table[i].fold(&group->cells[i],
			                     sample_value(sample, (enum metric_id)i));
}

void group_table_add(struct group_table *table, struct thread_sample *sample)
{
	const struct strbuf *field = name_of(table->key, sample);
	struct group *group;

	group_process_add(table, sample);
	strbuf_clear(&table->name);
	if (field == &sample->cgroup)
		add_cgroup_name(sample->has_cgroup, sample->cgroup_is_v1, field, &table->name);
	else
		strbuf_add(&table->name, strbuf_str(field), field->len);
	group = group_of_name(table);

	sample_set(sample, thread_count, (struct counter_count){1});
	group->threads++;
	group->leaders += sample->tid == sample->tgid;
	group->members += member_hash(sample->tgid, sample->tid, sample->start_time_clock_ticks);
	add_to_cells(group, sample);
}

/* The group that the exited threads of the process belong to. */
static struct group *group_of_exited(struct group_table *table)
{
	const struct group_process *process = &table->process;

	strbuf_clear(&table->name);
	switch (table->key) {
	case GROUP_KEY_cgroup:
		add_cgroup_name(process->has_cgroup, process->cgroup_is_v1, &process->cgroup,
		                &table->name);
		break;
	case GROUP_KEY_comm:
	case GROUP_KEY_comm_exact:
		strbuf_add(&table->name, strbuf_str(&process->pcomm), process->pcomm.len);
		strbuf_add_str(&table->name, group_exited_suffix);
		break;
	case GROUP_KEY_pcomm:
	case GROUP_KEY_COUNT:
		strbuf_add(&table->name, strbuf_str(&process->pcomm), process->pcomm.len);
		break;
	}
	return group_of_name(table);
}

static void note_unknown(struct group *group, const struct group_process *process)
{
	for (unsigned source = 0; source < PROCESS_SOURCE_COUNT; source++)
		if (!group_process_knows(process, (enum process_source)source))
			group->unknown[source] +=
			        member_hash(process->tgid, 0, process->start_time_clock_ticks);
}

void group_table_finish(struct group_table *table)
{
	struct group_process *process = &table->process;
	bool by_comm = table->key == GROUP_KEY_comm || table->key == GROUP_KEY_comm_exact;
	uint64_t remainders[PROCESS_TOTAL_COUNT];
	struct group *group;
	bool any;

	if (!process->open)
		return;
	any = group_process_close(process, remainders);
	if (by_comm && (!any || group_process_is_rounding(process, remainders)))
		return;
	group = group_of_exited(table);
	note_unknown(group, process);
	if (!any)
		return;
	if (group->threads == 0)
		group->members += member_hash(process->tgid, 0, process->start_time_clock_ticks);
	if (!group->exited)
		group->exited = mem_calloc(PROCESS_TOTAL_COUNT, sizeof(group->exited[0]));
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (__builtin_add_overflow(group->exited[i], remainders[i], &group->exited[i]))
			group->exited[i] = UINT64_MAX;
}

void group_table_forget(struct group_table *table, const struct metric_set *metrics)
{
	for (size_t g = 0; g < table->map.count; g++) {
		struct group *group = table->map.entries[g].value;

		for (unsigned i = 0; i < METRIC_COUNT; i++)
			if (metric_set_has(metrics, (enum metric_id)i))
				fold_cell_done((enum metric_id)i, &group->cells[i]);
	}
}

void group_include_exited(struct group *group, unsigned sources)
{
	for (unsigned i = 0; group->exited && i < PROCESS_TOTAL_COUNT; i++) {
		struct fold_cell *cell = &group->cells[process_total_table[i].metric];
		unsigned source = process_source(process_total_table[i].source);

		if (group->exited[i] == 0)
			continue;
		if (!(sources & 1u << source)) {
			group->exited_left_out |= 1u << i;
			continue;
		}
		if (__builtin_add_overflow(cell->number, group->exited[i], &cell->number))
			cell->number = UINT64_MAX;
		/* Among threads it is no thread more; alone it must count as something. */
		if (group->threads == 0)
			cell->seen = 1;
	}
	free(group->exited);
	group->exited = NULL;
}

unsigned group_comparable_sources(const struct group *a, const struct group *b)
{
	unsigned sources = 0;

	for (unsigned i = 0; i < PROCESS_SOURCE_COUNT; i++)
		if (a->unknown[i] == b->unknown[i])
			sources |= 1u << i;
	return sources;
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
