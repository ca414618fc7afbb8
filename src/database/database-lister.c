// SPDX-License-Identifier: GPL-2.0-or-later
#include "database/database-lister.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Returns the number of a host, new or not. */
static uint32_t host_number(struct strmap *hosts, const char *name)
{
	uint32_t place;

	if (strmap_find(hosts, name, strlen(name), &place))
		return place;
	place = (uint32_t)hosts->count;
	strmap_add(hosts, name, strlen(name));
	return place;
}

/* The first 64 bits of a hash; 0 of what is none. */
static uint64_t bits_of(struct span digest)
{
	char text[17];

	snprintf(text, sizeof(text), "%.*s", (int)(digest.len < 16 ? digest.len : 16), digest.text);
	return strtoull(text, NULL, 16);
}

void database_lister_add(struct database_lister *lister, size_t id,
                         const struct database_listed *file)
{
	struct database_list *list = lister->list;

	while (list->snapshot_count <= id) {
		struct database_snapshot *added =
		        array_add(list->snapshots, list->snapshot_count, lister->capacity);

		*added = (struct database_snapshot){.is_there = false};
	}
	list->snapshots[id] =
	        (struct database_snapshot){.is_there = true,
	                                   .host = host_number(&lister->hosts, file->host),
	                                   .is_window = file->is_window,
	                                   .end_unix_ns = file->end_unix_ns,
	                                   .length_ns = file->length_ns,
	                                   .ends = fleet_ends_of(file->ends),
	                                   .hash = bits_of(file->digest)};
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct strmap_entry *const *)a)->key,
	              (*(const struct strmap_entry *const *)b)->key);
}

void database_lister_finish(struct database_lister *lister)
{
	struct database_list *list = lister->list;
	size_t count = lister->hosts.count;
	cleanup_(mem_freep) const struct strmap_entry **sorted =
	        mem_calloc(count + 1, sizeof(sorted[0]));
	cleanup_(mem_freep) uint32_t *ranks = mem_calloc(count + 1, sizeof(ranks[0]));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &lister->hosts.entries[i];
	qsort(sorted, count, sizeof(sorted[0]), by_name);
	list->host_count = count;
	list->hosts = mem_calloc(count + 1, sizeof(list->hosts[0]));
	for (size_t i = 0; i < count; i++) {
		ranks[sorted[i] - lister->hosts.entries] = (uint32_t)i;
		list->hosts[i] = mem_copy(sorted[i]->key, sorted[i]->key_len);
	}
	for (size_t i = 0; i < list->snapshot_count; i++)
		if (list->snapshots[i].is_there)
			list->snapshots[i].host = ranks[list->snapshots[i].host];
	strmap_done(&lister->hosts);
}
