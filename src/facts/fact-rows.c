// SPDX-License-Identifier: GPL-2.0-or-later
#include "facts/fact-rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fact-build.h"

static int by_rank(const void *a, const void *b)
{
	const struct fact_group *group_a = a, *group_b = b;

	if (group_a->first < group_b->first || group_a->first > group_b->first)
		return group_a->first < group_b->first ? 1 : -1;
	if (group_a->second < group_b->second || group_a->second > group_b->second)
		return group_a->second < group_b->second ? 1 : -1;
	return strcmp(group_a->label, group_b->label);
}

static void sort_groups(struct fact_build *build, size_t section_start)
{
	struct fact_row_set *set = build->set;
	size_t count = set->count - section_start, at = 0;
	cleanup_(mem_freep) struct fact_row *sorted = NULL;

	if (build->group_count < 2)
		return;
	qsort(build->groups, build->group_count, sizeof(build->groups[0]), by_rank);
	sorted = mem_calloc(count, sizeof(*sorted));
	for (size_t g = 0; g < build->group_count; g++) {
		memcpy(sorted + at, set->rows + build->groups[g].start,
		       build->groups[g].count * sizeof(*sorted));
		at += build->groups[g].count;
	}
	memcpy(set->rows + section_start, sorted, count * sizeof(*sorted));
}

/* Only windows have a length by which differences can be divided. */
static bool are_windows(const struct fact_side *sides, unsigned count)
{
	for (unsigned side = 0; side < count; side++)
		if (!sides[side].info || sides[side].info->kind != KIND_window)
			return false;
	return true;
}

static void build_section(struct fact_row_set *set, const struct fact_side *sides,
                          const struct fact_row_options *options, enum metric_section section)
{
	struct fact_build build = {.set = set,
	                           .sides = sides,
	                           .options = options,
	                           .section = section,
	                           .rates = options->per == PER_second &&
	                                    are_windows(sides, set->sides),
	                           .metrics = STRMAP_INIT};
	size_t start = set->count;

	build.totals_only = true;
	fact_emit(&build);
	build.totals_only = false;
	fact_emit(&build);
	sort_groups(&build, start);
	for (size_t i = 0; i < build.metrics.count; i++)
		free(build.metrics.entries[i].value);
	strmap_done(&build.metrics);
	free(build.groups);
}

void fact_rows_init(struct fact_row_set *set, const struct fact_side *sides, unsigned count,
                    const struct fact_row_options *options)
{
	*set = (struct fact_row_set){.sides = count, .unchanged = options->unchanged};
	if (count == SIDE_MAX && options->sections[SECTION_settings])
		cgroup_knobs_compare(sides[SIDE_BASELINE].knobs, sides[SIDE_CANDIDATE].knobs,
		                     &set->knobs);
	for (unsigned section = 0; section < SECTION_COUNT; section++)
		if (options->sections[section])
			build_section(set, sides, options, (enum metric_section)section);
}

void fact_rows_done(struct fact_row_set *set)
{
	for (size_t i = 0; i < set->text_count; i++)
		free(set->texts[i]);
	free(set->texts);
	knob_changes_done(&set->knobs);
	free(set->rows);
	*set = (struct fact_row_set){0};
}
