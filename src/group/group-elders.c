// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group-elders.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { ELDERS = 8 };

/* The settings of a thread. */
static const enum metric_id settings[] = {METRIC_policy, METRIC_nice, METRIC_rt_priority,
                                          METRIC_cpu_affinity, METRIC_ext_enabled};
enum { SETTINGS = ARRAY_SIZE(settings) };

struct elder {
	uint64_t birth_clock_ticks, member;
	struct fold_cell cells[SETTINGS]; /* of this thread alone */
};

/* The first one was born first. */
struct group_elders {
	unsigned count;
	struct elder elders[];
};

static void forget(struct elder *elder)
{
	for (unsigned i = 0; i < SETTINGS; i++)
		fold_cell_done(settings[i], &elder->cells[i]);
}

/* Returns whether one comes before the other. Births are in clock ticks, so that several threads can have the same. */
static bool is_before(const struct elder *a, const struct elder *b)
{
	return a->birth_clock_ticks != b->birth_clock_ticks
	               ? a->birth_clock_ticks < b->birth_clock_ticks
	               : a->member < b->member;
}

static size_t bytes_of(unsigned count)
{
	return sizeof(struct group_elders) + count * sizeof(struct elder);
}

/* Returns an empty elder of that birth, or NULL if there are enough that were born before. */
static struct elder *make_room(struct group *group, uint64_t birth_clock_ticks, uint64_t member)
{
	struct group_elders *elders = group->elders;
	const struct elder elder = {.birth_clock_ticks = birth_clock_ticks, .member = member};
	unsigned count = elders ? elders->count : 0, at = count;

	while (at > 0 && is_before(&elder, &elders->elders[at - 1]))
		at--;
	if (at == ELDERS)
		return NULL;
	if (count == ELDERS) {
		forget(&elders->elders[--count]);
	} else {
		elders = mem_realloc(elders, 1, bytes_of(count + 1));
		group->elders = elders;
	}
	memmove(&elders->elders[at + 1], &elders->elders[at],
	        (count - at) * sizeof(elders->elders[0]));
	elders->count = count + 1;
	elders->elders[at] = elder;
	return &elders->elders[at];
}

void group_elders_add(struct group *group, const struct thread_sample *sample, uint64_t member)
{
	struct elder *elder = make_room(group, sample->start_time_clock_ticks, member);

	for (unsigned i = 0; elder && i < SETTINGS; i++)
		if (metric_set_has(&sample->seen, settings[i]))
			metric_table[settings[i]].fold(&elder->cells[i],
			                               sample_value(sample, settings[i]));
}

void group_elders_merge(struct group *into, const struct group *from)
{
	for (unsigned i = 0; from->elders && i < from->elders->count; i++) {
		const struct elder *other = &from->elders->elders[i];
		struct elder *elder = make_room(into, other->birth_clock_ticks, other->member);

		for (unsigned s = 0; elder && s < SETTINGS; s++)
			fold_merge(settings[s], &elder->cells[s], &other->cells[s]);
	}
}

void group_elders_done(struct group *group)
{
	for (unsigned i = 0; group->elders && i < group->elders->count; i++)
		forget(&group->elders->elders[i]);
	free(group->elders);
}

static const struct elder *find(const struct group *group, const struct elder *elder)
{
	for (unsigned i = 0; group->elders && i < group->elders->count; i++)
		if (group->elders->elders[i].member == elder->member)
			return &group->elders->elders[i];
	return NULL;
}

static unsigned place_of(enum metric_id metric)
{
	unsigned place = 0;

	while (place < SETTINGS && settings[place] != metric)
		place++;
	return place;
}

uint32_t group_elders_compare(const struct group *a, const struct group *b, enum metric_id metric,
                              struct fold_cell ret[2], uint32_t *ret_changed)
{
	unsigned place = place_of(metric);
	uint32_t both = 0;

	*ret_changed = 0;
	for (unsigned i = 0; place < SETTINGS && a->elders && i < a->elders->count; i++) {
		const struct elder *before = &a->elders->elders[i], *after = find(b, before);
		const struct fold_cell *cells[2] = {&before->cells[place], NULL};

		if (!after)
			continue;
		both++;
		cells[1] = &after->cells[place];
		if (cells[0]->seen == 0 || cells[1]->seen == 0 ||
		    fold_equal(metric, cells[0], cells[1]))
			continue;
		++*ret_changed;
		for (unsigned side = 0; side < 2; side++)
			fold_merge(metric, &ret[side], cells[side]);
	}
	return both;
}

uint64_t group_elders_birth(const struct group *group)
{
	return group->elders && group->elders->count > 0
	               ? group->elders->elders[0].birth_clock_ticks
	               : UINT64_MAX;
}

void group_note_cpu_cgroup(struct group *group, const char *name)
{
	if (!group->cpu_cgroup)
		group->cpu_cgroup = name;
	else if (name && strcmp(group->cpu_cgroup, name) != 0)
		group->several_cpu_cgroups = true;
}

void group_add_cpu_cgroup(struct group_table *table, struct group *group,
                          const struct thread_sample *sample)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	if (group_cpu_cgroup(sample, &name))
		group_note_cpu_cgroup(group,
		                      strmap_add(&table->cpu_cgroups, name.data, name.len)->key);
}
