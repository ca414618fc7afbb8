// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/fleet-groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "snapshot/reference.h"

void fleet_groups_init(struct fleet_groups *groups, const struct group_by *by,
                       const struct metric_set *wanted)
{
	*groups = (struct fleet_groups){.threads = STRMAP_INIT, .names = STRMAP_INIT};
	group_table_init(&groups->table, *by);
	groups->table.with_exited_rates = true;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (fleet_has_metric((enum metric_id)i) &&
		    metric_set_has(wanted, (enum metric_id)i))
			groups->places[i] = (uint16_t)++groups->summaries;
}

static void free_groups(struct fleet_groups *groups)
{
	for (size_t i = 0; i < groups->threads.count; i++) {
		struct summary *summaries = groups->threads.entries[i].value;

		for (unsigned m = 0; m < groups->summaries; m++)
			summary_done(&summaries[m]);
		free(summaries);
	}
	strmap_done(&groups->threads);
}

void fleet_groups_done(struct fleet_groups *groups)
{
	free_groups(groups);
	strmap_done(&groups->names);
	group_table_done(&groups->table);
}

static struct summary *sums_of(struct fleet_groups *groups, const char *key, size_t len)
{
	struct strmap_entry *entry = strmap_add(&groups->threads, key, len);

	if (!entry->value)
		entry->value = mem_calloc(groups->summaries + 1, sizeof(struct summary));
	return entry->value;
}

/* Returns NULL if the metric has none. */
static struct summary *summary_of(const struct fleet_groups *groups, struct summary *summaries,
                                  enum metric_id metric)
{
	return groups->places[metric] > 0 ? &summaries[groups->places[metric] - 1] : NULL;
}

void fleet_groups_add(struct fleet_groups *groups, const struct snapshot_info *info,
                      struct thread_sample *sample)
{
	struct group_table *table = &groups->table;

	table->host = &info->host;
	table->info = info;
	group_table_add(table, sample);
	if (table->last != groups->last || !groups->last) {
		groups->last = table->last;
		groups->last_sums = sums_of(groups, (const char *)table->last_numbers,
		                            table->by.count * sizeof(table->last_numbers[0]));
	}
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric_id metric = (enum metric_id)i;
		struct summary *summary = summary_of(groups, groups->last_sums, metric);

		if (!summary || !group_counts_thread(sample, metric))
			continue;
		if (!metric_set_has(&sample->seen, metric)) {
			summary_add_unseen(summary, 1);
			continue;
		}
		summary_add_unscaled(summary, fleet_number(sample, metric),
		                     fleet_value(&info->host, sample, metric),
		                     fleet_zero_is_none(metric));
		fleet_add_rate(summary, sample, metric, fleet_number(sample, metric));
	}
}

/* A group has the work of exited threads if the total of any of its processes is known. It may have that of threads without a value. */
static void add_exited(const struct fleet_groups *groups, struct summary *sums, struct group *group)
{
	group_include_exited(&groups->table, group, (1u << PROCESS_SOURCE_COUNT) - 1, 0);
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum metric_id metric = process_total_table[i].metric;
		struct summary *summary = summary_of(groups, sums, metric);

		if (!summary)
			continue;
		summary_add_exited(summary, group->known >> i & 1,
		                   group_exited_part(group, metric));
		if (group->exited_rates && !group->rates_unknown)
			summary_add_exited_rate(summary, group_exited_part(group, metric),
			                        group->exited_rates[i]);
		summary_remove_unseen(summary, group_covered(group, metric));
	}
}

/* Exited threads that have run, and whose work is unknown, are one thread without a value. */
static void add_lacking(const struct fleet_groups *groups, struct summary *sums,
                        const struct derive_frame *frame, const struct group *group)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		struct summary *summary = summary_of(groups, sums, (enum metric_id)i);

		if (summary && group_lacks_exited(group, frame, (enum metric_id)i))
			summary_add_unseen(summary, 1);
	}
}

static void add_name(const struct fleet_groups *groups, const struct strmap_entry *entry,
                     struct strbuf *name)
{
	for (unsigned key = 0; key < groups->table.by.count; key++) {
		struct span pattern = group_table_pattern(&groups->table, entry, key);

		if (key > 0)
			strbuf_add_str(name, " / ");
		text_add_replaced(name, pattern.text, pattern.len);
	}
}

static void merge_group(const struct fleet_groups *groups, struct summary *into,
                        const struct summary *from)
{
	for (unsigned i = 0; i < groups->summaries; i++)
		summary_merge(&into[i], &from[i]);
}

/* Values that turned out not to have been read are unseen. */
static void forget(struct fleet_groups *groups, const struct metric_set *forgotten)
{
	for (size_t g = 0; g < groups->threads.count; g++) {
		struct summary *group = groups->threads.entries[g].value;

		for (unsigned i = 0; i < METRIC_COUNT; i++) {
			struct summary *summary = summary_of(groups, group, (enum metric_id)i);
			uint64_t threads = summary ? summary->threads : 0;

			if (!summary || !metric_set_has(forgotten, (enum metric_id)i))
				continue;
			summary_done(summary);
			summary_add_unseen(summary, threads);
		}
	}
}

/* Makes the host's own ticks those of all hosts, once everything is added. */
static void scale_ticks(struct fleet_groups *groups, const struct host *host)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		uint64_t own = fleet_own_ticks(host, (enum metric_id)i);

		if (groups->places[i] == 0 || own == FLEET_TICKS_PER_SECOND)
			continue;
		for (size_t g = 0; g < groups->names.count; g++)
			summary_scale(summary_of(groups, groups->names.entries[g].value,
			                         (enum metric_id)i),
			              FLEET_TICKS_PER_SECOND, own);
	}
}

void fleet_groups_finish(struct fleet_groups *groups, const struct snapshot_info *info)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
	struct group_table *table = &groups->table;
	struct derive_frame frame = derive_frame_of(info);
	struct metric_set forgotten = {{0}};

	table->host = &info->host;
	table->info = info;
	group_table_finish(table);
	reference_add_metrics(info->forgotten, &forgotten);
	group_table_forget(table, &forgotten);
	forget(groups, &forgotten);
	for (size_t i = 0; i < table->map.count; i++) {
		const struct strmap_entry *entry = &table->map.entries[i];
		struct summary *sums = sums_of(groups, entry->key, entry->key_len);
		struct strmap_entry *named;

		add_exited(groups, sums, entry->value);
		add_lacking(groups, sums, &frame, entry->value);
		strbuf_clear(&name);
		add_name(groups, entry, &name);
		/* Names that differ in bytes that are no UTF-8 are one. */
		named = strmap_add(&groups->names, strbuf_str(&name), name.len);
		if (named->value)
			merge_group(groups, named->value, sums);
		else
			named->value = sums;
	}
	scale_ticks(groups, &info->host);
}

static int by_name(const void *a, const void *b)
{
	const struct strmap_entry *first = *(const struct strmap_entry *const *)a;
	const struct strmap_entry *second = *(const struct strmap_entry *const *)b;

	return strcmp(first->key, second->key);
}

/* Returns the groups in the order of their names. */
static const struct strmap_entry **sort_names(const struct fleet_groups *groups)
{
	size_t count = groups->names.count;
	const struct strmap_entry **sorted = mem_calloc(count > 0 ? count : 1, sizeof(sorted[0]));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &groups->names.entries[i];
	qsort(sorted, count, sizeof(sorted[0]), by_name);
	return sorted;
}

const struct summary *fleet_groups_summary(const struct fleet_groups *groups,
                                           const struct strmap_entry *entry, enum metric_id metric)
{
	static const struct summary none;
	const struct summary *summary = summary_of(groups, entry->value, metric);

	return summary ? summary : &none;
}

int fleet_groups_rows(const struct fleet_groups *groups, const struct fleet_file *file,
                      struct fleet_sink *sink)
{
	cleanup_(mem_freep) const struct strmap_entry **sorted = sort_names(groups);
	cleanup_(strbuf_done) struct strbuf keys = STRBUF_INIT, histogram = STRBUF_INIT;
	struct fleet_row row = file->row;
	int r = 0;

	fleet_add_keys(&groups->table.by, &keys);
	fleet_set_text(&row, FLEET_COLUMN_level, (struct span){"group", strlen("group")});
	fleet_set_text(&row, FLEET_COLUMN_group_key, (struct span){strbuf_str(&keys), keys.len});
	for (size_t g = 0; r == 0 && g < groups->names.count; g++) {
		fleet_set_text(&row, FLEET_COLUMN_group_name,
		               (struct span){sorted[g]->key, sorted[g]->key_len});
		for (unsigned i = 0; r == 0 && i < METRIC_COUNT; i++) {
			const struct summary *summary =
			        summary_of(groups, sorted[g]->value, (enum metric_id)i);

			if (!summary)
				continue;
			fleet_set_metric(&row, (enum metric_id)i, summary, &histogram);
			r = sink->row(sink, &row);
		}
	}
	return r;
}
