// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "findings-format.h"

void findings_add_name(const char *text, struct strbuf *out)
{
	text_add_escaped(out, text, strlen(text));
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct strmap_entry *const *)a)->key,
	              (*(const struct strmap_entry *const *)b)->key);
}

size_t findings_add_settings(const struct findings *findings, const struct comparison *comparison,
                             size_t most, struct strbuf *out)
{
	const struct contrast_plan *plan = &comparison->plan;
	const struct strmap *map = &findings->settings->map;
	const struct strmap_entry **found = mem_calloc(map->count + 1, sizeof(*found));
	size_t count = 0;

	for (size_t i = 0; i < map->count; i++)
		if (setting_seen_differs(plan->trial, map->entries[i].key, map->entries[i].value,
		                         plan->a, plan->b))
			found[count++] = &map->entries[i];
	qsort(found, count, sizeof(*found), by_name);
	for (size_t i = 0; i < count && i < most; i++) {
		const struct setting_seen *setting = found[i]->value;

		strbuf_add_str(out, i > 0 ? ", " : "");
		findings_add_name(found[i]->key, out);
		strbuf_add_char(out, ' ');
		findings_add_name(setting->values[plan->a], out);
		strbuf_add_str(out, findings->style.ascii ? " -> " : " → ");
		findings_add_name(setting->values[plan->b], out);
	}
	free(found);
	return count;
}

static double share_of(const struct group_presence *presence, size_t arm)
{
	return (double)presence->in[arm] / (double)presence->of[arm];
}

/* The largest difference between an arm and the first one. */
static double spread_of(const struct group_presence *presence)
{
	double spread = 0;

	for (size_t arm = 1; arm < TRIAL_ARMS_MAX && presence->of[arm] > 0; arm++)
		spread = fmax(spread, fabs(share_of(presence, arm) - share_of(presence, 0)));
	return spread;
}

static int by_spread(const void *a_ptr, const void *b_ptr)
{
	const struct group_presence *a = a_ptr, *b = b_ptr;
	double spread_a = spread_of(a), spread_b = spread_of(b);

	if (spread_a != spread_b)
		return spread_a > spread_b ? -1 : 1;
	return strcmp(a->group->label, b->group->label);
}

struct group_presence *findings_find_partial(const struct findings *findings, size_t *ret_count)
{
	const struct unit_table *table = findings->table;
	struct group_presence *found = mem_calloc(table->map.count + 1, sizeof(found[0]));
	size_t count = 0;

	for (size_t i = 0; i < table->map.count; i++) {
		struct group_presence presence = {.group = table->map.entries[i].value};

		if (presence.group->present == table->units)
			continue;
		for (size_t unit = 0; unit < table->units; unit++) {
			unsigned arm = findings->trial->units[unit].arm;

			presence.of[arm]++;
			presence.in[arm] += presence.group->in[unit];
		}
		found[count++] = presence;
	}
	qsort(found, count, sizeof(found[0]), by_spread);
	*ret_count = count;
	return found;
}
