// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "row-match.h"
#include "row-select.h"
#include "where/selection.h"

static double mean_life(const struct row_set *set, const struct row_group *group, unsigned side)
{
	const struct group *here = group->sides[side];

	if (!here || here->births == 0)
		return NAN;
	return (double)set->last_birth_clock_ticks[side] -
	       (double)here->births_clock_ticks / here->births;
}

static void find_longest_life(struct row_set *set)
{
	for (unsigned side = 0; side < set->sides; side++)
		for (size_t i = 0; i < set->group_count; i++)
			set->longest_life_clock_ticks[side] =
			        fmax(set->longest_life_clock_ticks[side],
			             mean_life(set, &set->groups[i], side));
}

void row_set_init(struct row_set *set, const struct group_table *const *tables, unsigned sides,
                  const struct row_cpu_time *cpu_times, const struct row_options *options)
{
	*set = (struct row_set){.sides = sides,
	                        .continues = options->continues,
	                        .one_boot = options->one_boot || options->interval ||
	                                    options->continues,
	                        .per = options->per,
	                        .by = tables[0]->by,
	                        .spread_measures = tables[0]->spread_measures,
	                        .spread_count = tables[0]->spread_count,
	                        .readers = mem_calloc(SIDE_MAX + 1, sizeof(set->readers[0]))};
	for (unsigned side = 0; side < sides; side++) {
		set->frames[side] = group_table_frame(tables[side]);
		set->names[side] = tables[side]->name_counts;
		set->rate_lists[side] = tables[side]->rates;
		set->seen_elsewhere[side] = tables[side]->seen_elsewhere;
		set->is_chosen_by_cgroup =
		        set->is_chosen_by_cgroup ||
		        (tables[side]->info && selection_notes_cgroup(&tables[side]->info->host));
	}
	memcpy(set->is_chosen, options->is_chosen, sizeof(set->is_chosen));
	memcpy(set->chosen_ids, options->chosen_ids, sizeof(set->chosen_ids));
	if (cpu_times)
		memcpy(set->cpu_times, cpu_times, sides * sizeof(*cpu_times));
	row_match(set, tables, cpu_times, options);
	find_longest_life(set);
	row_select(set, options);
}

static void free_groups(struct row_group *groups, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(groups[i].label);
	free(groups);
}

void row_set_done(struct row_set *set)
{
	free_groups(set->groups, set->group_count);
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		free_groups(set->unmatched[side], set->unmatched_count[side]);
		if (set->exited[side])
			group_free(set->exited[side], 0);
		if (set->readers)
			group_reader_done(&set->readers[side]);
	}
	if (set->readers)
		group_reader_done(&set->readers[SIDE_MAX]);
	for (size_t i = 0; i < set->merged_count; i++)
		group_free(set->merged[i], set->spread_count);
	free(set->merged);
	for (size_t i = 0; i < set->rename_count; i++)
		for (unsigned side = 0; side < SIDE_MAX; side++)
			free(set->renames[i].labels[side]);
	free(set->renames);
	for (size_t i = 0; i < set->label_count; i++)
		free(set->labels[i]);
	free(set->labels);
	free(set->unreads);
	for (unsigned side = 0; side < set->sides; side++)
		group_free(set->totals[side], 0);
	if (set->interval_total)
		group_free(set->interval_total, 0);
	free(set->rows);
	free(set->readers);
	*set = (struct row_set){0};
}

static struct quantity share_of_window(const struct row_set *set, const struct group *group,
                                       unsigned side)
{
	uint64_t length_ns = set->frames[side].length_ns;
	struct fold_cell lived;

	if (!group || length_ns == 0)
		return (struct quantity){0};
	lived = group_number(group, METRIC_lived_ns);
	return lived.seen > 0
	               ? quantity_real(100 * (double)lived.number / lived.seen / (double)length_ns)
	               : (struct quantity){0};
}

struct quantity row_uptime(const struct row_set *set, const struct row_group *group, unsigned side)
{
	double life;

	if (set->frames[side].kind == KIND_window)
		return share_of_window(set, group->sides[side], side);
	life = mean_life(set, group, side);
	if (isnan(life) || !(set->longest_life_clock_ticks[side] > 0))
		return (struct quantity){0};
	return quantity_real(100 * life / set->longest_life_clock_ticks[side]);
}

struct spread *row_spread(const struct row_set *set, const struct row_group *group,
                          unsigned measure, unsigned side)
{
	const struct group *here = group->sides[side];

	if (!here || !here->spreads)
		return NULL;
	for (size_t i = 0; i < set->spread_count; i++)
		if (set->spread_measures[i] == measure)
			return &here->spreads[i];
	return NULL;
}
