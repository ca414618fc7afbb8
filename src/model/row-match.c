// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "ctprof/mem.h"
#include "ctprof/text.h"
#include "row-match.h"

/* Longer than a thread's name can be, so that no thread can pass for it. */
static const char exited_label[] = "(exited threads)";

static char *escaped(const char *bytes, size_t len)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	text_add_escaped(&text, bytes, len);
	return mem_copy(strbuf_str(&text), text.len);
}

/* A pattern that stands for one name only, over both sides, is shown as that name. */
static char *label_of(const struct strmap_entry *entry, const struct row_group *group)
{
	const struct group *only = NULL;

	for (unsigned side = 0; side < SIDE_MAX; side++) {
		const struct group *here = group->sides[side];

		if (!here)
			continue;
		if (here->several_names || (only && (only->first_name_len != here->first_name_len ||
		                                     memcmp(only->first_name, here->first_name,
		                                            only->first_name_len) != 0)))
			return escaped(entry->key, entry->key_len);
		only = here;
	}
	return escaped(only->first_name, only->first_name_len);
}

struct group_list {
	struct row_group *groups;
	size_t count;
	size_t capacity;
};

static void add_group(struct group_list *list, struct row_group group)
{
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? list->capacity * 2 : 64;
		list->groups = mem_realloc(list->groups, list->capacity, sizeof(list->groups[0]));
	}
	list->groups[list->count++] = group;
}

static int by_label(const void *a, const void *b)
{
	const struct row_group *group_a = a, *group_b = b;

	return strcmp(group_a->label, group_b->label);
}

static uint64_t run_time(const struct row_group *group)
{
	const struct group *side = group->sides[SIDE_BASELINE] ? group->sides[SIDE_BASELINE]
	                                                       : group->sides[SIDE_CANDIDATE];

	return side->cells[METRIC_run_time_ns].seen ? side->cells[METRIC_run_time_ns].number : 0;
}

static int by_run_time(const void *a, const void *b)
{
	uint64_t time_a = run_time(a), time_b = run_time(b);

	if (time_a != time_b)
		return time_a < time_b ? 1 : -1;
	return by_label(a, b);
}

static void sort_groups(struct group_list *list, int (*compare)(const void *, const void *))
{
	if (list->count > 0)
		qsort(list->groups, list->count, sizeof(list->groups[0]), compare);
}

/* What all threads of the host used, less what those in the snapshot did. */
static struct group *exited_group(const struct row_cpu_time *cpu_time,
                                  const struct fold_cell totals[METRIC_COUNT])
{
	const struct fold_cell *user = &totals[METRIC_utime_clock_ticks];
	const struct fold_cell *system = &totals[METRIC_stime_clock_ticks];
	struct group *group;

	/* The two are sampled in different ways; a difference below zero says nothing. */
	if (!cpu_time->seen || user->seen == 0 || system->seen == 0 ||
	    cpu_time->user_clock_ticks < user->number ||
	    cpu_time->system_clock_ticks < system->number)
		return NULL;
	group = mem_calloc(1, sizeof(*group));
	group->cells[METRIC_utime_clock_ticks].number = cpu_time->user_clock_ticks - user->number;
	group->cells[METRIC_utime_clock_ticks].seen = 1;
	group->cells[METRIC_stime_clock_ticks].number =
	        cpu_time->system_clock_ticks - system->number;
	group->cells[METRIC_stime_clock_ticks].seen = 1;
	return group;
}

static void add_exited(struct row_set *set, struct group_list *matched,
                       const struct row_cpu_time *cpu_times)
{
	struct row_group group = {.exited = true};

	for (unsigned side = 0; side < set->sides; side++) {
		set->exited[side] = exited_group(&cpu_times[side], set->totals[side]);
		if (!set->exited[side])
			return;
		group.sides[side] = set->exited[side];
	}
	group.label = mem_copy(exited_label, strlen(exited_label));
	add_group(matched, group);
}

void row_match_exited(const struct group_table *const *tables, unsigned sides)
{
	const unsigned all = (1u << PROCESS_SOURCE_COUNT) - 1;

	for (unsigned side = 0; side < sides; side++)
		for (size_t i = 0; i < tables[side]->map.count; i++) {
			const struct strmap_entry *entry = &tables[side]->map.entries[i];
			struct group *group = entry->value, *other = NULL;

			if (sides == SIDE_MAX)
				other = group_table_get(tables[!side], entry->key, entry->key_len);
			group_include_exited(group,
			                     other ? group_comparable_sources(group, other) : all);
		}
}

void row_match(struct row_set *set, const struct group_table *const *tables,
               const struct row_cpu_time *cpu_times)
{
	struct group_list matched = {0}, unmatched[SIDE_MAX] = {{0}};

	for (unsigned side = 0; side < set->sides; side++)
		for (size_t i = 0; i < tables[side]->map.count; i++) {
			const struct strmap_entry *entry = &tables[side]->map.entries[i];
			struct row_group group = {0};

			group.sides[side] = entry->value;
			if (set->sides == SIDE_MAX)
				group.sides[!side] =
				        group_table_get(tables[!side], entry->key, entry->key_len);
			group.label = label_of(entry, &group);
			if (set->sides == 1 || (group.sides[!side] && side == SIDE_BASELINE))
				add_group(&matched, group);
			else if (!group.sides[!side])
				add_group(&unmatched[side], group);
			else
				free(group.label);
		}
	if (cpu_times)
		add_exited(set, &matched, cpu_times);
	sort_groups(&matched, by_label);
	set->groups = matched.groups;
	set->group_count = matched.count;
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		sort_groups(&unmatched[side], by_run_time);
		set->unmatched[side] = unmatched[side].groups;
		set->unmatched_count[side] = unmatched[side].count;
	}
}
