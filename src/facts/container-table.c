// SPDX-License-Identifier: GPL-2.0-or-later
/* docker's are calculateCPUPercentUnix(), calculateMemUsageUnixNoCache(), calculateMemPercentUnixNoCache() and
 * calculateBlockIO() of its command line, and the limit that its daemon gives. cAdvisor's are its cpu usage per second and
 * its working set. A value that was not read is missing here; docker takes it for 0. */
#include "facts/container-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "facts/cgroup-rates.h"
#include "facts/fact-derive.h"
#include "group/cgroup-key.h"

enum { VERSION_1, VERSION_2 };

void container_table_init(struct container_table *table)
{
	*table = (struct container_table){.map = STRMAP_INIT};
}

void container_table_done(struct container_table *table)
{
	for (size_t i = 0; i < table->map.count; i++) {
		struct container *container = table->map.entries[i].value;

		cgroup_stats_done(&container->stats[VERSION_1]);
		cgroup_stats_done(&container->stats[VERSION_2]);
		free(container);
	}
	strmap_done(&table->map);
}

void container_table_add(struct container_table *table, const struct cgroup_stats *stats)
{
	cleanup_(strbuf_done) struct strbuf id = STRBUF_INIT;
	unsigned version = stats->is_v1 ? VERSION_1 : VERSION_2;
	struct container *container;
	struct strmap_entry *entry;

	if (stats->is_gone ||
	    !cgroup_part_of(CGROUP_PART_CONTAINER, strbuf_str(&stats->path), stats->path.len, &id))
		return;
	entry = strmap_add(&table->map, strbuf_str(&id), id.len);
	if (!entry->value)
		entry->value = mem_calloc(1, sizeof(*container));
	container = entry->value;
	if (container->path_lens[version] > 0 && container->path_lens[version] <= stats->path.len)
		return;
	container->path_lens[version] = stats->path.len;
	cgroup_stats_reset(&container->stats[version]);
	cgroup_stats_merge(&container->stats[version], 0, stats);
	container->stats[version].is_v1 = stats->is_v1;
	container->stats[version].interval_ns = stats->interval_ns;
}

/* A snapshot may hold any number. */
static struct quantity number_of(const struct container *container, unsigned version,
                                 enum cgroup_value_id id)
{
	const struct fact_value *value = &container->stats[version].values[id];

	return value->state == FACT_NUMBER && value->number >= 0
	               ? quantity_integer((uint64_t)value->number)
	               : (struct quantity){0};
}

/* Returns the value of the version that has it. A hybrid host has each controller in one of them. */
static struct quantity either(const struct container *container, enum cgroup_value_id v2,
                              enum cgroup_value_id v1)
{
	struct quantity number = number_of(container, VERSION_2, v2);

	return number.kind != QUANTITY_NONE ? number : number_of(container, VERSION_1, v1);
}

static struct quantity percent_of(enum fact_derived_id derived, const struct container *container,
                                  const struct snapshot_info *info)
{
	struct quantity percent = {0};

	for (unsigned version = VERSION_2 + 1; version-- > 0 && percent.kind == QUANTITY_NONE;) {
		const struct cgroup_stats *stats = &container->stats[version];
		struct cgroup_stats rates = {0};

		/* A container that began in the window has no interval, and counters since then. */
		if (container->path_lens[version] == 0 || stats->interval_ns == 0)
			continue;
		cgroup_rates_add(&rates, 0, stats);
		percent = fact_derive(derived, info, stats, &rates);
		cgroup_stats_done(&rates);
	}
	return percent;
}

/* Returns a key of memory.stat of version 2. */
static struct quantity memory_key(const struct container *container, const char *key)
{
	const struct cgroup_stats *stats = &container->stats[VERSION_2];
	const struct keyed_value *value;

	if (!stats->has_list[CGROUP_LIST_memory_stat])
		return (struct quantity){0};
	value = keyed_values_find(&stats->lists[CGROUP_LIST_memory_stat], key, strlen(key), 0);
	return value ? quantity_integer(value->value) : (struct quantity){0};
}

static void set_memory(const struct container *container, struct container_numbers *numbers)
{
	struct quantity usage = number_of(container, VERSION_2, CGROUP_VALUE_memory_current);
	struct quantity inactive = memory_key(container, "inactive_file");

	if (usage.kind == QUANTITY_NONE) {
		usage = number_of(container, VERSION_1, CGROUP_VALUE_memory_v1_usage);
		inactive = number_of(container, VERSION_1, CGROUP_VALUE_memory_v1_inactive_file);
	}
	if (usage.kind == QUANTITY_NONE || inactive.kind == QUANTITY_NONE)
		return;
	numbers->memory_bytes = numbers->working_set_bytes =
	        quantity_real(quantity_double(usage) - quantity_double(inactive));
	if (quantity_double(inactive) >= quantity_double(usage)) {
		numbers->memory_bytes = usage;
		numbers->working_set_bytes = quantity_integer(0);
	}
}

/* Returns whether the file was read, and has no limit. */
static bool is_unlimited(const struct container *container)
{
	return container->stats[VERSION_2].values[CGROUP_VALUE_memory_max].state ==
	               FACT_UNLIMITED ||
	       container->stats[VERSION_1].values[CGROUP_VALUE_memory_v1_limit].state ==
	               FACT_UNLIMITED;
}

static void set_limit(const struct container *container, const struct host *host,
                      struct container_numbers *numbers)
{
	enum { KIB = 1024 };
	struct quantity limit =
	        either(container, CGROUP_VALUE_memory_max, CGROUP_VALUE_memory_v1_limit);
	uint64_t memory = host->seen[HOST_total_memory_kib]
	                          ? saturating_multiply(host->numbers[HOST_total_memory_kib], KIB)
	                          : 0;

	if (memory > 0 && (is_unlimited(container) || (limit.kind != QUANTITY_NONE &&
	                                               quantity_double(limit) > (double)memory)))
		limit = quantity_integer(memory);
	numbers->limit_bytes = limit;
	if (limit.kind != QUANTITY_NONE && quantity_double(limit) > 0 &&
	    numbers->memory_bytes.kind != QUANTITY_NONE)
		numbers->memory_percent = quantity_real(
		        100 * quantity_double(numbers->memory_bytes) / quantity_double(limit));
}

/* Returns the sum over the devices of io.stat, 0 without any, or the value of version 1. */
static struct quantity block_bytes(const struct container *container, const char *key,
                                   enum cgroup_value_id v1)
{
	const struct cgroup_stats *stats = &container->stats[VERSION_2];
	const struct keyed_values *values = &stats->lists[CGROUP_LIST_io_stat];
	uint64_t sum = 0;

	if (!stats->has_list[CGROUP_LIST_io_stat])
		return number_of(container, VERSION_1, v1);
	for (size_t i = 0; i < values->count; i++) {
		const char *blank = strrchr(values->entries[i].key, ' ');

		if (blank && strcmp(blank + 1, key) == 0)
			saturating_add_to(&sum, values->entries[i].value);
	}
	return quantity_integer(sum);
}

struct container_numbers container_numbers_of(const struct container *container,
                                              const struct snapshot_info *info)
{
	struct container_numbers numbers = {
	        .cpu_percent_docker = percent_of(FACT_DERIVED_cpu_percent_docker, container, info),
	        .cpu_percent_cadvisor =
	                percent_of(FACT_DERIVED_cpu_percent_cadvisor, container, info),
	        .read_bytes = block_bytes(container, "rbytes", CGROUP_VALUE_blkio_read_bytes),
	        .write_bytes = block_bytes(container, "wbytes", CGROUP_VALUE_blkio_write_bytes),
	        .pids = either(container, CGROUP_VALUE_pids_current, CGROUP_VALUE_pids_v1_current),
	};

	set_memory(container, &numbers);
	set_limit(container, &info->host, &numbers);
	return numbers;
}
