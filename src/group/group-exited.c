// SPDX-License-Identifier: GPL-2.0-or-later
#include "group/group.h"

#include "group-rates.h"
#include "group/group-pack.h"

/* Returns whether the metric's total lacks threads that exited; sets @ret_has_total if it has one. */
static bool total_lacks_exited(const struct group *group, enum metric_id metric,
                               bool *ret_has_total)
{
	*ret_has_total = false;
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		if (process_total_table[i].metric != metric)
			continue;
		*ret_has_total = true;
		if ((group->exited_left_out >> i & 1) ||
		    (group->exited_unseen >> process_total_source(i) & 1))
			return true;
	}
	return false;
}

/* Returns whether the rows of the metric lack threads that exited, if some have run. A counter without a total is of the living threads
 * in a lifetime. In a window each thread that ended there has a row, unless the record of its end was lost; how many were lost is not
 * known for a selection of processes. */
static bool rows_lack_exited(const struct group *group, const struct derive_frame *frame,
                             enum metric_id metric)
{
	return (frame->kind != KIND_window || !window_exits_are_known(frame->exits) ||
	        !frame->missed_known || frame->missed > 0) &&
	       metric_is_counter(metric) && (group->exited_unseen & GROUP_EXITED_RAN);
}

bool group_lacks_exited(const struct group *group, const struct derive_frame *frame,
                        enum metric_id metric)
{
	bool has_total;

	return total_lacks_exited(group, metric, &has_total) ||
	       (!has_total && rows_lack_exited(group, frame, metric));
}

struct metric_set group_parts_lack_exited(const struct group *group,
                                          const struct derive_frame *frame, enum derived_id derived)
{
	const struct derived_desc *desc = &derived_table[derived];
	struct metric_set lacking = {{0}};
	bool any_whole = false;

	if (!basis_is_of_parts(desc->basis))
		return lacking;
	for (size_t i = 0; i < desc->input_count; i++) {
		enum metric_id metric = desc->inputs[i];

		if (group->cells[metric].seen == 0)
			continue;
		if (group_lacks_exited(group, frame, metric))
			metric_set_add(&lacking, metric);
		else
			any_whole = true;
	}
	return any_whole ? lacking : (struct metric_set){{0}};
}

void group_include_exited(const struct group_table *table, struct group *group, unsigned sources,
                          unsigned left_out)
{
	if (group->exited || group->covered)
		group_open(group);
	if (!(sources & 1u << process_total_source(PROCESS_TOTAL_utime_clock_ticks))) {
		group->exited_run_ns = 0;
		group->exited_run_rate = (struct rate_sum){0};
	}
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum metric_id metric = process_total_table[i].metric;
		struct fold_cell *cell;
		unsigned source = 1u << process_total_source(i);
		fold_number *part = group->exited ? &group->exited[i] : NULL;

		if (!(sources & source)) {
			if (left_out & source)
				group->exited_left_out |= 1u << i;
			if (part)
				*part = 0;
			if (group->covered)
				group->covered[i] = 0;
			if (group->exited_rates)
				group->exited_rates[i] = (struct rate_sum){0};
			if (metric == METRIC_run_time_ns)
				group->exited_short_ns = 0;
			continue;
		}
		if (group->covered)
			group->cells[metric].seen += group->covered[i];
		if (!part)
			continue;
		group_rates_include(table->rates, group, (enum process_total)i);
		cell = &group->cells[metric];
		cell->number += *part;
		/* Among threads it counts as no thread more; alone it must count as seen. */
		if (group->threads == 0 && group->known >> i & 1)
			cell->seen = 1;
	}
	if (group->threads <= 1)
		group_pack(group);
}

fold_number group_exited_part(const struct group *group, enum metric_id metric)
{
	for (unsigned i = 0; group->exited && i < PROCESS_TOTAL_COUNT; i++)
		if (process_total_table[i].metric == metric)
			return group->exited[i];
	return 0;
}

uint32_t group_covered(const struct group *group, enum metric_id metric)
{
	for (unsigned i = 0; group->covered && i < PROCESS_TOTAL_COUNT; i++)
		if (process_total_table[i].metric == metric)
			return group->covered[i];
	return 0;
}

unsigned group_known_sources(const struct group *group)
{
	unsigned sources = 0;

	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++)
		if (group->known >> i & 1)
			sources |= 1u << process_total_source(i);
	return sources;
}

unsigned group_comparable_sources(const struct group *a, const struct group *b)
{
	unsigned sources = 0;

	for (unsigned i = 0; i < PROCESS_SOURCE_COUNT; i++)
		if (a->unknown[i] == b->unknown[i])
			sources |= 1u << i;
	return sources;
}
