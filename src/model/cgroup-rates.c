// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/cgroup-rates.h"

#include <string.h>

enum { NS_PER_SECOND = 1000000000 };

int64_t cgroup_rate(uint64_t value, uint64_t interval_ns)
{
	unsigned __int128 rate = ((unsigned __int128)value * NS_PER_SECOND) << CGROUP_RATE_BITS;

	rate /= interval_ns;
	return rate > INT64_MAX ? INT64_MAX : (int64_t)rate;
}

static void set_values(struct cgroup_stats *rates, const struct cgroup_stats *from)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct fact_value *value = &from->values[i];

		/* A snapshot may hold any number. */
		if (cgroup_value_table[i].window == FACT_WINDOW_DIFFERENCE &&
		    value->state == FACT_NUMBER && value->number >= 0)
			fact_set_number(&rates->values[i],
			                cgroup_rate((uint64_t)value->number, from->interval_ns));
	}
}

static void set_lists(struct cgroup_stats *rates, const struct cgroup_stats *from)
{
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++) {
		const struct keyed_values *list = &from->lists[i];

		rates->has_list[i] = from->has_list[i];
		for (size_t at = 0; at < list->count; at++) {
			const char *key = list->entries[at].key;

			if (cgroup_key_find((enum cgroup_list_id)i, key)->rule == FACT_RULE_SUM)
				keyed_values_set(&rates->lists[i], key, strlen(key),
				                 (uint64_t)cgroup_rate(list->entries[at].value,
				                                       from->interval_ns));
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

void cgroup_rates_add(struct cgroup_stats *into, uint32_t members, const struct cgroup_stats *from)
{
	cleanup_(cgroup_stats_done) struct cgroup_stats rates = {.is_v1 = from->is_v1};

	set_values(&rates, from);
	set_lists(&rates, from);
	set_psi(&rates.psi, from);
	cgroup_stats_merge(into, members, &rates);
}
