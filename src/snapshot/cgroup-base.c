// SPDX-License-Identifier: GPL-2.0-or-later
#include "snapshot/cgroup-base.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void cgroup_row_copy(struct cgroup_stats *to, const struct cgroup_stats *from)
{
	*to = (struct cgroup_stats){0};
	strbuf_add(&to->path, strbuf_str(&from->path), from->path.len);
	cgroup_stats_merge(to, 0, from);
	to->is_v1 = from->is_v1;
	to->read_boottime_ns = from->read_boottime_ns;
	to->interval_ns = from->interval_ns;
}

void cgroup_base_done(struct cgroup_base *base)
{
	for (size_t i = 0; i < base->count; i++)
		cgroup_stats_done(&base->entries[i].stats);
	free(base->entries);
	strmap_done(&base->places);
	strbuf_done(&base->key);
	*base = (struct cgroup_base){0};
}

/* The version is in front of the path. */
static void set_key(struct cgroup_base *base, const struct cgroup_stats *stats)
{
	strbuf_clear(&base->key);
	strbuf_add_char(&base->key, stats->is_v1 ? '1' : '2');
	strbuf_add(&base->key, strbuf_str(&stats->path), stats->path.len);
}

static struct cgroup_base_entry *find_any(struct cgroup_base *base, const struct cgroup_stats *like)
{
	uintptr_t place;

	set_key(base, like);
	place = (uintptr_t)strmap_get(&base->places, strbuf_str(&base->key), base->key.len);
	return place > 0 ? &base->entries[place - 1] : NULL;
}

struct cgroup_base_entry *cgroup_base_find(struct cgroup_base *base,
                                           const struct cgroup_stats *like)
{
	struct cgroup_base_entry *entry = find_any(base, like);

	return entry && entry->frame > 0 ? entry : NULL;
}

void cgroup_base_keep(struct cgroup_base *base, const struct cgroup_stats *stats, uint64_t frame)
{
	struct cgroup_base_entry *entry = find_any(base, stats);

	if (!entry) {
		entry = array_add(base->entries, base->count, base->capacity);
		*entry = (struct cgroup_base_entry){0};
		strmap_add(&base->places, strbuf_str(&base->key), base->key.len)->value =
		        (void *)(uintptr_t)base->count;
	}
	base->live += entry->frame == 0;
	cgroup_stats_done(&entry->stats);
	cgroup_row_copy(&entry->stats, stats);
	entry->frame = frame;
}

void cgroup_base_end(struct cgroup_base *base, struct cgroup_base_entry *entry)
{
	base->live -= entry->frame > 0;
	entry->frame = 0;
}

void cgroup_base_end_others(struct cgroup_base *base, uint64_t frame)
{
	for (size_t i = 0; i < base->count; i++)
		if (base->entries[i].frame != frame)
			cgroup_base_end(base, &base->entries[i]);
}

void cgroup_base_tidy(struct cgroup_base *base)
{
	enum { FEW = 64 };
	struct cgroup_base tidy = {0};

	if (base->count < FEW || base->count / 2 < base->live)
		return;
	for (size_t i = 0; i < base->count; i++)
		if (base->entries[i].frame > 0)
			cgroup_base_keep(&tidy, &base->entries[i].stats, base->entries[i].frame);
	cgroup_base_done(base);
	*base = tidy;
}

static bool is_same_fact(const struct fact_value *a, const struct fact_value *b)
{
	if (a->state != b->state)
		return false;
	switch (a->state) {
	case FACT_NUMBER:
		return a->number == b->number;
	case FACT_TEXT:
		return strcmp(a->text, b->text) == 0;
	case FACT_UNSEEN:
	case FACT_UNLIMITED:
		break;
	}
	return true;
}

static bool has_moved(enum fact_window window, const struct fact_value *before,
                      const struct fact_value *value)
{
	switch (window) {
	case FACT_WINDOW_END:
		return !is_same_fact(before, value);
	case FACT_WINDOW_DIFFERENCE:
		return before->state != value->state ||
		       (value->state == FACT_NUMBER && value->number != 0);
	case FACT_WINDOW_RISEN:
		return value->state != FACT_UNSEEN;
	}
	return true;
}

static bool list_has_moved(enum cgroup_list_id list, const struct keyed_values *before,
                           const struct keyed_values *values)
{
	if (before->count != values->count)
		return true;
	for (size_t i = 0; i < values->count; i++) {
		const struct keyed_value *now = &values->entries[i], *then = &before->entries[i];
		bool is_sum = cgroup_key_find(list, now->key)->rule == FACT_RULE_SUM;

		if (strcmp(now->key, then->key) != 0 || now->value != (is_sum ? 0 : then->value))
			return true;
	}
	return false;
}

static bool pressure_has_moved(const struct psi_line *before, const struct psi_line *line)
{
	if (before->seen != line->seen)
		return true;
	return line->seen && (line->total_usec != 0 || memcmp(before->averages, line->averages,
	                                                      sizeof(line->averages)) != 0);
}

static bool is_same_list(const struct keyed_values *a, const struct keyed_values *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->entries[i].key, b->entries[i].key) != 0 ||
		    a->entries[i].value != b->entries[i].value)
			return false;
	return true;
}

bool cgroup_is_unchanged(const struct cgroup_stats *before, const struct cgroup_stats *stats)
{
	/* One that was not there at the begin of its window has no differences yet. */
	if (before->interval_ns == 0 || stats->interval_ns == 0 || stats->unjoined.count > 0 ||
	    !is_same_list(&before->ids, &stats->ids))
		return false;
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++)
		if (has_moved(cgroup_value_table[i].window, &before->values[i], &stats->values[i]))
			return false;
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		if (before->has_list[i] != stats->has_list[i] ||
		    list_has_moved((enum cgroup_list_id)i, &before->lists[i], &stats->lists[i]))
			return false;
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++)
			if (pressure_has_moved(&before->psi.lines[resource][row],
			                       &stats->psi.lines[resource][row]))
				return false;
	return true;
}

void cgroup_make_unchanged(struct cgroup_stats *stats, uint64_t interval_ns)
{
	for (unsigned i = 0; i < CGROUP_VALUE_COUNT; i++) {
		struct fact_value *value = &stats->values[i];

		if (cgroup_value_table[i].window == FACT_WINDOW_RISEN)
			fact_clear(value);
		else if (cgroup_value_table[i].window == FACT_WINDOW_DIFFERENCE &&
		         value->state == FACT_NUMBER)
			value->number = 0;
	}
	for (unsigned i = 0; i < CGROUP_LIST_COUNT; i++)
		for (size_t key = 0; key < stats->lists[i].count; key++) {
			struct keyed_value *entry = &stats->lists[i].entries[key];

			if (cgroup_key_find((enum cgroup_list_id)i, entry->key)->rule ==
			    FACT_RULE_SUM)
				entry->value = 0;
		}
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++)
			stats->psi.lines[resource][row].total_usec = 0;
	keyed_values_clear(&stats->unjoined);
	stats->read_boottime_ns = 0;
	stats->interval_ns = interval_ns;
}
