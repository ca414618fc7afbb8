// SPDX-License-Identifier: GPL-2.0-or-later
#include "merge-info.h"

#include <stdlib.h>
#include <string.h>

/* The rule for a number of several hosts. One that a host does not have is not known of all. */
enum joining { JOIN_NOT, JOIN_SUM, JOIN_MIN, JOIN_MAX, JOIN_EQUAL };

static enum joining joining_of_host(enum host_field field)
{
	switch (field) {
	case HOST_hosts:
	case HOST_total_threads:
	case HOST_total_memory_kib:
	case HOST_numa_nodes:
		return JOIN_SUM;
	case HOST_tool_version:
	case HOST_source:
	case HOST_selection:
	case HOST_cgroup_v1_hierarchies:
	case HOST_users:
	case HOST_containers:
		return JOIN_EQUAL;
	case HOST_online_cpus: /* cpu_percent_host is a part of those of one */
	case HOST_hugepages_total:
		return JOIN_NOT;
	default:
		return host_field_table[field].compared ? JOIN_EQUAL : JOIN_NOT;
	}
}

static enum joining joining_of_window(enum window_number number)
{
	switch (number) {
	case WINDOW_begin_unix_ns:
	case WINDOW_shortest_length_ns:
		return JOIN_MIN;
	case WINDOW_length_ns:
	case WINDOW_read_skew_ns:
	case WINDOW_gap_ns:
		return JOIN_MAX;
	case WINDOW_asked_length_ns:
		return JOIN_EQUAL;
	case WINDOW_begin_boottime_ns:
	case WINDOW_boots:
		return JOIN_NOT;
	default:
		return JOIN_SUM;
	}
}

/* Joins a number that both have. Returns false if there is none. */
static bool join(enum joining joining, uint64_t *into, uint64_t from)
{
	switch (joining) {
	case JOIN_SUM:
		saturating_add_to(into, from);
		return true;
	case JOIN_MIN:
		*into = from < *into ? from : *into;
		return true;
	case JOIN_MAX:
		*into = from > *into ? from : *into;
		return true;
	case JOIN_EQUAL:
		return *into == from;
	case JOIN_NOT:
		break;
	}
	return false;
}

static void forget_map(struct host *host, enum host_field field)
{
	struct host_map *map = &host->maps[field];

	for (size_t i = 0; i < map->count; i++) {
		free(map->entries[i].name);
		free(map->entries[i].text);
	}
	map->count = 0;
}

/* Keeps the entries that are alike. */
static void keep_common(struct host *into, const struct host *from, enum host_field field)
{
	struct host_map *map = &into->maps[field];
	size_t kept = 0;

	for (size_t i = 0; i < map->count; i++) {
		struct host_map_entry *entry = &map->entries[i];
		const char *other = host_map_get(from, field, entry->name);

		if (other && strcmp(other, entry->text) == 0) {
			map->entries[kept++] = *entry;
		} else {
			free(entry->name);
			free(entry->text);
		}
	}
	map->count = kept;
}

static void forget(struct host *host, enum host_field field)
{
	if (host_field_table[field].kind == HOST_KIND_MAP)
		forget_map(host, field);
	host_forget(host, field);
}

static bool join_field(struct host *into, const struct host *from, enum host_field field)
{
	switch (host_field_table[field].kind) {
	case HOST_KIND_TEXT:
		return strcmp(host_text(into, field), host_text(from, field)) == 0;
	case HOST_KIND_NUMBER:
		return join(joining_of_host(field), &into->numbers[field], from->numbers[field]);
	case HOST_KIND_MAP:
		keep_common(into, from, field);
		return true;
	}
	return false;
}

static void add_host(struct host *into, const struct host *from)
{
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++) {
		enum host_field field = (enum host_field)i;

		if (!into->seen[i])
			continue;
		if (!from->seen[i] || !join_field(into, from, field))
			forget(into, field);
	}
}

static void add_window(struct snapshot_window *into, const struct snapshot_window *from)
{
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++) {
		if (!into->seen[i])
			continue;
		into->seen[i] = from->seen[i] && join(joining_of_window((enum window_number)i),
		                                      &into->numbers[i], from->numbers[i]);
		if (!into->seen[i])
			into->numbers[i] = 0;
	}
}

/* The exits of all hosts are known as well as those of the host of which least is known. */
static unsigned ignorance(enum window_exits exits)
{
	switch (exits) {
	case WINDOW_EXITS_completed:
		return 0;
	case WINDOW_EXITS_recorded:
		return 1;
	default:
		return 2 + exits;
	case WINDOW_EXITS_UNKNOWN:
		return 2 + WINDOW_EXITS_COUNT;
	}
}

/* All of it is counts. */
static void add_tally(struct snapshot_tally *into, const struct snapshot_tally *from)
{
	enum { COUNTS = sizeof(*into) / sizeof(uint64_t) };
	uint64_t sums[COUNTS], more[COUNTS];

	_Static_assert(sizeof(*into) % sizeof(uint64_t) == 0, "a tally has 64-bit counts alone");
	memcpy(sums, into, sizeof(sums));
	memcpy(more, from, sizeof(more));
	for (size_t i = 0; i < COUNTS; i++)
		saturating_add_to(&sums[i], more[i]);
	memcpy(into, sums, sizeof(sums));
}

static void forget_settings(struct snapshot_info *info)
{
	settings_done(&info->settings);
	info->psi = (struct psi){0};
	sched_ext_done(&info->sched_ext);
	memset(info->cost_seen, 0, sizeof(info->cost_seen));
	memset(info->cost, 0, sizeof(info->cost));
}

/* Files of versions that did not write it have the longest one alone. */
static void set_shortest_length(struct snapshot_window *window)
{
	if (window->seen[WINDOW_length_ns] && !window->seen[WINDOW_shortest_length_ns])
		window_set(window, WINDOW_shortest_length_ns, window->numbers[WINDOW_length_ns]);
}

void merge_info_prepare(struct snapshot_info *info)
{
	forget_settings(info);
	set_shortest_length(&info->window);
	if (info->is_of_hosts)
		return;
	if (!snapshot_has_all_threads(info))
		forget(&info->host, HOST_total_threads);
	for (unsigned i = 0; i < HOST_FIELD_COUNT; i++)
		if (joining_of_host((enum host_field)i) == JOIN_NOT)
			forget(&info->host, (enum host_field)i);
	for (unsigned i = 0; i < WINDOW_NUMBER_COUNT; i++)
		if (joining_of_window((enum window_number)i) == JOIN_NOT || !info->window.seen[i]) {
			info->window.seen[i] = false;
			info->window.numbers[i] = 0;
		}
	host_set_number(&info->host, HOST_hosts, 1);
	info->captured_boottime_ns = 0;
	info->is_of_hosts = true;
}

void merge_info_add(struct snapshot_info *into, const struct snapshot_info *from)
{
	add_host(&into->host, &from->host);
	add_window(&into->window, &from->window);
	window_join_exits(&into->window, &from->window,
	                  ignorance(from->window.exits) > ignorance(into->window.exits)
	                          ? from->window.exits
	                          : into->window.exits);
	if (from->captured_at_unix_ns > into->captured_at_unix_ns)
		into->captured_at_unix_ns = from->captured_at_unix_ns;
	labels_keep_common(&into->labels, &from->labels);
	for (unsigned s = 0; s < SOURCE_COUNT; s++)
		if (into->rules[s] != from->rules[s])
			into->rules[s] = OUTCOME_read;
	add_tally(&into->tally, &from->tally);
	if (into->probe.seen && from->probe.seen)
		probe_summary_add_counts(&into->probe, &from->probe);
	else
		into->probe = (struct probe_summary){0};
}
