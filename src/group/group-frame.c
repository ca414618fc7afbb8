// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group.h"

struct derive_frame group_table_frame(const struct group_table *table)
{
	struct derive_frame frame = {0};
	const struct host *host = table->host;

	if (table->info)
		return derive_frame_of(table->info);
	if (host && host->seen[HOST_clock_ticks_per_second])
		frame.clock_ticks_per_second = host->numbers[HOST_clock_ticks_per_second];
	if (host && host->seen[HOST_online_cpus])
		frame.online_cpus = host->numbers[HOST_online_cpus];
	return frame;
}

bool group_counts_thread(const struct thread_sample *sample, enum metric_id metric)
{
	return !metric_is_leader_only(metric) ||
	       (sample->tid == sample->tgid &&
	        (!sample_ended_inside(sample) || metric_set_has(&sample->seen, metric)));
}

struct group *group_table_find(const struct group_table *table, const struct span *patterns)
{
	uint32_t numbers[GROUP_KEYS_MAX];

	for (unsigned i = 0; i < table->by.count; i++)
		if (!strmap_find(&table->names[i].map, patterns[i].text, patterns[i].len,
		                 &numbers[i]))
			return NULL;
	return strmap_get(&table->map, (const char *)numbers, table->by.count * sizeof(numbers[0]));
}

struct span group_table_pattern(const struct group_table *table, const struct strmap_entry *entry,
                                unsigned key)
{
	const struct strmap_entry *name;
	uint32_t number;

	memcpy(&number, entry->key + key * sizeof(number), sizeof(number));
	name = &table->names[key].map.entries[number];
	return (struct span){name->key, name->key_len};
}

struct span group_table_cgroup(struct group_table *table, const char *path, size_t len, bool is_v1)
{
	struct key_names *names = &table->names[0];
	uint32_t number = key_names_of_cgroup(names, &table->by, path, len, is_v1);

	return (struct span){names->map.entries[number].key, names->map.entries[number].key_len};
}
