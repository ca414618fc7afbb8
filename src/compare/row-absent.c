// SPDX-License-Identifier: GPL-2.0-or-later
#include "compare/rows.h"

#include <stdlib.h>

#include "base/fd.h"
#include "row-ended-names.h"
#include "row-hidden.h"
#include "row-unread.h"
#include "window/exit-log.h"

/* Returns whether the side has all threads of the host, or all of the only process that the group has on the other one. */
static bool has_all_of(const struct row_set *set, const struct row_group *group, unsigned side)
{
	const struct id_list *ids = set->chosen_ids[side];
	const struct group *other = group->sides[!side];

	if (!set->is_chosen[side])
		return true;
	return ids && ids->count > 0 && other && other->process.is_known &&
	       !other->several_processes &&
	       bsearch(&other->process.tgid, ids->ids, ids->count, sizeof(ids->ids[0]),
	               id_compare) != NULL;
}

bool row_has_absence(const struct row_set *set, const struct row_group *group, unsigned side)
{
	return set->sides == SIDE_MAX && set->one_boot && has_all_of(set, group, side) &&
	       set->frames[SIDE_BASELINE].kind == KIND_window &&
	       set->frames[SIDE_CANDIDATE].kind == KIND_window;
}

bool row_may_hide(const struct row_set *set, const struct row_group *group, unsigned side)
{
	return set->sides == SIDE_MAX && set->is_chosen[side] && !group->exited &&
	       !group->sides[side] && !(set->one_boot && has_all_of(set, group, side));
}

bool row_may_lack_processes(const struct row_set *set, const struct row_group *group, unsigned side)
{
	return set->sides == SIDE_MAX && set->is_chosen[side] && !group->exited &&
	       group->sides[side] && !group_by_has(&set->by, GROUP_KEY_pid) &&
	       !(set->one_boot && has_all_of(set, group, side));
}

/* Returns whether threads that the window does not have, or those that ended there without a name of the keys, may have used a tenth or
 * more of the CPU time of the group on the other side. A process or thread that the window does not have was not there: it is no other
 * one, whatever ended; but threads of one name may have been in the process. */
static bool may_have_run(const struct row_set *set, const struct row_group *group, unsigned side)
{
	double unnamed_ns = 0;

	if (set->is_chosen[side] || group_by_has(&set->by, GROUP_KEY_thread) ||
	    (group_by_has(&set->by, GROUP_KEY_pid) && !group_by_has_thread_key(&set->by)))
		return false;
	if (group->unnamed)
		unnamed_ns = (double)group_number(group->unnamed, METRIC_run_time_ns).number;
	return group_number(group->sides[!side], METRIC_run_time_ns).seen == 0 ||
	       row_hides_many(set, group, side, unnamed_ns);
}

/* Returns whether threads that ended in the window may be in another group there than they are on the other side. */
static bool has_other_names(const struct row_set *set, const struct row_group *group, unsigned side)
{
	if (!group->sides[!side])
		return false;
	return (group->sides[!side]->ended > 0 && row_ended_names_differ(set, group)) ||
	       row_unread_may_have(set, group, METRIC_run_time_ns) ||
	       (group->unnamed && may_have_run(set, group, side));
}

/* Returns whether the window does not show threads that ended, and the group may have had some that matter beside the other side:
 * threads of it do end there, or the host used CPU time that is in no row. */
static bool hides_ended(const struct row_set *set, const struct row_group *group, unsigned side)
{
	return !window_exits_are_known(set->frames[side].exits) && group->sides[!side] &&
	       (group->sides[!side]->ended > 0 || may_have_run(set, group, side));
}

enum row_absence row_absence(const struct row_set *set, const struct row_group *group,
                             unsigned side)
{
	const struct derive_frame *frame = &set->frames[side];

	if (!row_has_absence(set, group, side) || group->exited || group->sides[side])
		return ABSENCE_NONE;
	if (has_other_names(set, group, side))
		return ABSENCE_UNKNOWN;
	if (frame->missed_known && frame->missed == 0)
		return ABSENCE_ZERO;
	return hides_ended(set, group, side) || row_has_missed_many(set, group) ? ABSENCE_UNKNOWN
	                                                                        : ABSENCE_PARTIAL;
}

/* Returns whether a group without threads has 0 of it: a counter, what adds counters up, and rates of them. */
static bool is_nothing(unsigned measure)
{
	return measure_scales(measure) ||
	       (measure_is_derived(measure) &&
	        basis_is_of_rates(derived_table[measure_derived(measure)].basis));
}

bool row_is_seen_elsewhere(const struct row_set *set, unsigned side, unsigned measure)
{
	const struct metric_set *seen = &set->seen_elsewhere[side];
	const struct derived_desc *derived;
	size_t count = 0;

	if (!measure_is_derived(measure))
		return measure == METRIC_thread_count ||
		       metric_set_has(seen, (enum metric_id)measure);
	derived = &derived_table[measure_derived(measure)];
	for (size_t i = 0; i < derived->input_count; i++)
		count += metric_set_has(seen, derived->inputs[i]);
	return basis_is_of_parts(derived->basis) ? count > 0 : count == derived->input_count;
}

/* Returns whether the side has a value of others, or of those that were not chosen, where none was. */
static bool is_measured(const struct row_set *set, unsigned side, unsigned measure,
                        enum measure_per per)
{
	struct derive_inputs all;

	if (set->totals[side]->threads == 0)
		return row_is_seen_elsewhere(set, side, measure);
	all = group_inputs(set->totals[side], set->rate_lists[side], &set->frames[side]);
	return measure_quantity(measure, per, &all).kind != QUANTITY_NONE;
}

struct quantity row_absent_value(const struct row_set *set, const struct row_group *group,
                                 unsigned side, unsigned measure, enum measure_per per)
{
	enum row_absence absence = row_absence(set, group, side);

	if (absence == ABSENCE_NONE || absence == ABSENCE_UNKNOWN || !is_nothing(measure) ||
	    per == PER_thread || per == PER_cpu_second)
		return (struct quantity){0};
	if (!is_measured(set, side, measure, per))
		return (struct quantity){0};
	return per == PER_second || measure_is_derived(measure) ? quantity_real(0)
	                                                        : quantity_integer(0);
}
