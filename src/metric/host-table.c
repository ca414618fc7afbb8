// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ctprof/metric/host.h"

/* clang-format off */
const struct host_field_desc host_field_table[HOST_FIELD_COUNT] = {
#define COMPARED true
#define OWN false
#define HOST_TEXT(id_, compared_, text_) [HOST_##id_] = {#id_, text_, HOST_KIND_TEXT, compared_, false},
#define HOST_NUMBER(id_, compared_, text_) [HOST_##id_] = {#id_, text_, HOST_KIND_NUMBER, compared_, false},
#define HOST_MAP(id_, compared_, text_) [HOST_##id_] = {#id_, text_, HOST_KIND_MAP, compared_, false},
#define HOST_COUNTER(id_, text_) [HOST_##id_] = {#id_, text_, HOST_KIND_NUMBER, OWN, true},
#include "host.def"
};
/* clang-format on */

const char *const host_toggle_names[HOST_TOGGLE_COUNT] = {
        [HOST_TOGGLE_on] = "on",
        [HOST_TOGGLE_runtime_off] = "runtime_off",
        [HOST_TOGGLE_config_off] = "config_off",
};

const char *const host_option_values[HOST_OPTION_VALUES] = {"y", "m", "n"};

void host_set_text(struct host *host, enum host_field field, const char *text, size_t len)
{
	free(host->texts[field]);
	host->texts[field] = mem_copy(text, len);
	host->seen[field] = true;
}

void host_set_number(struct host *host, enum host_field field, uint64_t number)
{
	host->numbers[field] = number;
	host->seen[field] = true;
}

/* Returns the place of a name, or the place where it belongs; *ret_found says which. */
static size_t map_place(const struct host_map *map, const char *name, bool *ret_found)
{
	size_t low = 0, high = map->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(map->entries[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_found = low < map->count && strcmp(map->entries[low].name, name) == 0;
	return low;
}

void host_map_set(struct host *host, enum host_field field, const char *name, const char *text,
                  size_t len)
{
	struct host_map *map = &host->maps[field];
	bool found;
	size_t at = map_place(map, name, &found);

	host->seen[field] = true;
	if (found) {
		free(map->entries[at].text);
		map->entries[at].text = mem_copy(text, len);
		return;
	}
	array_reserve(map->entries, map->capacity, map->count + 1);
	memmove(map->entries + at + 1, map->entries + at,
	        (map->count - at) * sizeof(map->entries[0]));
	map->entries[at] = (struct host_map_entry){mem_copy_text(name), mem_copy(text, len)};
	map->count++;
}

void host_map_clear(struct host *host, enum host_field field)
{
	struct host_map *map = &host->maps[field];

	for (size_t i = 0; i < map->count; i++) {
		free(map->entries[i].name);
		free(map->entries[i].text);
	}
	free(map->entries);
	*map = (struct host_map){0};
	host->seen[field] = false;
}

const struct host_pair host_pairs[HOST_PAIRS] = {
        {HOST_cpus_clock_ticks, HOST_cpus_clock_ticks_before},
        {HOST_meminfo, HOST_meminfo_before},
        {HOST_vmstat, HOST_vmstat_before},
};

void host_forget_pairs(struct host *host)
{
	for (size_t i = 0; i < HOST_PAIRS; i++) {
		host_map_clear(host, host_pairs[i].now);
		host_map_clear(host, host_pairs[i].before);
	}
}

const char *host_map_get(const struct host *host, enum host_field field, const char *name)
{
	const struct host_map *map = &host->maps[field];

	bool found;
	size_t at = map_place(map, name, &found);

	return found ? map->entries[at].text : NULL;
}

const char *host_text(const struct host *host, enum host_field field)
{
	return host->texts[field];
}

bool host_is_read_by_bpf(const struct host *host)
{
	const char *source = host_text(host, HOST_source);

	return source && strcmp(source, HOST_SOURCE_BPF) == 0;
}

void host_join_source(struct host *host, const struct host *before)
{
	if (host_is_read_by_bpf(host) && !host_is_read_by_bpf(before))
		host_set_text(host, HOST_source, HOST_SOURCE_PROCFS, strlen(HOST_SOURCE_PROCFS));
}

uint64_t host_ticks_per_second(const struct host *host)
{
	uint64_t ticks = host->numbers[HOST_clock_ticks_per_second];

	return host->seen[HOST_clock_ticks_per_second] && ticks > 0 && ticks <= NS_PER_SECOND
	               ? ticks
	               : 100;
}

/* A file may have any numbers. */
static uint64_t to_ticks(double ticks)
{
	if (ticks >= (double)INT64_MAX)
		return UINT64_MAX;
	return ticks > 0 ? (uint64_t)ticks : 0;
}

/* Returns the time of all CPUs; 0 if it is not known. */
static double cpu_seconds(const struct host *host)
{
	if (!host->seen[HOST_online_cpus] || !host->seen[HOST_stat_interval_ns])
		return 0;
	return (double)host->numbers[HOST_online_cpus] *
	       (double)host->numbers[HOST_stat_interval_ns] / NS_PER_SECOND;
}

uint64_t host_ticks_error(const struct host *host)
{
	enum { PART = 100, MODES = 2, DEVIATIONS = 3 };
	double ticks = (double)host->numbers[HOST_user_clock_ticks] +
	               (double)host->numbers[HOST_system_clock_ticks];
	double per_second = (double)host_ticks_per_second(host),
	       all = cpu_seconds(host) * per_second;
	double hz = host->seen[HOST_kernel_hz] ? (double)host->numbers[HOST_kernel_hz] : per_second;
	double idle_part = all > 0 ? fmax(1 - ticks / all, 0) : 1;
	/* The samples are a binomial distribution. */
	double deviation = hz > 0 ? sqrt(ticks * idle_part * per_second / hz) : 0;

	return to_ticks(ticks / PART + (double)host->numbers[HOST_online_cpus] * MODES +
	                DEVIATIONS * deviation);
}

uint64_t host_busy_ticks(const struct host *host)
{
	static const enum host_field others[] = {
	        HOST_idle_clock_ticks,    HOST_iowait_clock_ticks, HOST_irq_clock_ticks,
	        HOST_softirq_clock_ticks, HOST_steal_clock_ticks,
	};
	double ticks = cpu_seconds(host) * (double)host_ticks_per_second(host);

	if (ticks <= 0)
		return UINT64_MAX;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (!host->seen[others[i]])
			return UINT64_MAX;
		ticks -= (double)host->numbers[others[i]];
	}
	return to_ticks(ticks);
}

struct host_bounds host_bounds_of(const struct host *host)
{
	return (struct host_bounds){
	        host_ticks_per_second(host),
	        host->seen[HOST_possible_cpus] ? host->numbers[HOST_possible_cpus] : 0};
}

void host_forget(struct host *host, enum host_field field)
{
	free(host->texts[field]);
	host->texts[field] = NULL;
	host->numbers[field] = 0;
	host->seen[field] = false;
}

void host_copy(struct host *to, const struct host *from)
{
	*to = (struct host){.boot = from->boot};
	memcpy(to->seen, from->seen, sizeof(to->seen));
	memcpy(to->numbers, from->numbers, sizeof(to->numbers));
	for (size_t i = 0; i < HOST_FIELD_COUNT; i++) {
		const struct host_map *map = &from->maps[i];
		struct host_map *copy = &to->maps[i];

		if (from->texts[i])
			to->texts[i] = mem_copy(from->texts[i], strlen(from->texts[i]));
		array_reserve(copy->entries, copy->capacity, map->count);
		for (size_t e = 0; e < map->count; e++) {
			const struct host_map_entry *entry = &map->entries[e];

			copy->entries[copy->count++] = (struct host_map_entry){
			        mem_copy_text(entry->name), mem_copy_text(entry->text)};
		}
	}
}

void host_done(struct host *host)
{
	for (size_t i = 0; i < HOST_FIELD_COUNT; i++) {
		struct host_map *map = &host->maps[i];

		free(host->texts[i]);
		for (size_t e = 0; e < map->count; e++) {
			free(map->entries[e].name);
			free(map->entries[e].text);
		}
		free(map->entries);
	}
	memset(host, 0, sizeof(*host));
}
