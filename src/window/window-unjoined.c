// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-unjoined.h"

#include <string.h>

void window_note_unjoined(struct cgroup_stats *stats, const struct cgroup_stats *other)
{
	keyed_values_clear(&stats->unjoined);
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		const struct cgroup_value_desc *value = &cgroup_value_table[i];
		bool has = stats->values[i].state == FACT_NUMBER;
		bool other_has = other->values[i].state == FACT_NUMBER;

		if (value->window == FACT_WINDOW_DIFFERENCE &&
		    (has != other_has ||
		     (has && cgroup_stats_are_others(stats, other, value->object))))
			keyed_values_add(&stats->unjoined, value->object, strlen(value->object), 1);
	}
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++) {
		const char *object = cgroup_list_table[i].object;

		if (stats->has_list[i] != other->has_list[i])
			keyed_values_add(&stats->unjoined, object, strlen(object), 1);
	}
}

void window_keep_unjoined(struct cgroup_stats *stats, const struct keyed_values *of)
{
	for (size_t i = 0; i < of->count; i++) {
		const struct keyed_value *count = &of->entries[i];
		const struct keyed_value *has =
		        keyed_values_find(&stats->unjoined, count->key, strlen(count->key), 0);

		if (!has || has->value < count->value)
			keyed_values_set(&stats->unjoined, count->key, strlen(count->key),
			                 count->value);
	}
}
