// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts/cgroup-rates.h"
#include "base/clock.h"

#include <string.h>

int64_t cgroup_rate(uint64_t value, uint64_t interval_ns)
{
	unsigned __int128 rate = ((unsigned __int128)value * NS_PER_SECOND) << CGROUP_RATE_BITS;

	rate /= interval_ns;
	return rate > INT64_MAX ? INT64_MAX : (int64_t)rate;
}

static bool value_counts(const struct cgroup_stats *stats, unsigned id)
{
	const struct fact_value *value = &stats->values[id];

	/* A snapshot may hold any number. */
	return cgroup_value_table[id].window == FACT_WINDOW_DIFFERENCE &&
	       value->state == FACT_NUMBER && value->number >= 0;
}

static bool key_counts(unsigned list, const struct keyed_value *entry)
{
	return cgroup_key_find((enum cgroup_list_id)list, entry->key)->rule == FACT_RULE_SUM;
}

static bool list_counts(const struct cgroup_stats *stats, unsigned id)
{
	const struct keyed_values *list = &stats->lists[id];

	for (size_t at = 0; at < list->count; at++)
		if (key_counts(id, &list->entries[at]))
			return true;
	return false;
}

bool cgroup_counts(const struct cgroup_stats *stats)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (value_counts(stats, i))
			return true;
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		if (list_counts(stats, i))
			return true;
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++)
			if (stats->psi.lines[resource][row].seen)
				return true;
	return false;
}

static void set_values(struct cgroup_stats *rates, const struct cgroup_stats *from)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		if (value_counts(from, i))
			fact_set_number(
			        &rates->values[i],
			        cgroup_rate((uint64_t)from->values[i].number, from->interval_ns));
	}
}

static void set_lists(struct cgroup_stats *rates, const struct cgroup_stats *from)
{
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++) {
		const struct keyed_values *list = &from->lists[i];

		rates->has_list[i] = from->has_list[i];
		for (size_t at = 0; at < list->count; at++) {
			const struct keyed_value *entry = &list->entries[at];

			if (key_counts(i, entry))
				keyed_values_set(
				        &rates->lists[i], entry->key, strlen(entry->key),
				        (uint64_t)cgroup_rate(entry->value, from->interval_ns));
		}
	}
}

static void set_psi(struct psi *rates, const struct cgroup_stats *from)
{
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++) {
			const struct psi_line *line = &from->psi.lines[resource][row];

			if (line->seen)
				rates->lines[resource][row] = (struct psi_line){
				        .seen = true,
				        .total_usec = (uint64_t)cgroup_rate(line->total_usec,
				                                            from->interval_ns)};
		}
}

static struct cgroup_stats rates_of(const struct cgroup_stats *from)
{
	struct cgroup_stats rates = {.is_v1 = from->is_v1};

	set_values(&rates, from);
	set_lists(&rates, from);
	set_psi(&rates.psi, from);
	return rates;
}

void cgroup_rates_add(struct cgroup_stats *into, uint32_t members, const struct cgroup_stats *from)
{
	cleanup_(cgroup_stats_done) struct cgroup_stats rates = rates_of(from);

	cgroup_stats_merge(into, members, &rates);
}

void cgroup_rates_add_nested(struct cgroup_stats *into, uint64_t covered,
                             const struct cgroup_stats *from)
{
	cleanup_(cgroup_stats_done) struct cgroup_stats rates = rates_of(from);

	cgroup_stats_merge_nested(into, covered, &rates);
}
