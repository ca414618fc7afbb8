// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "compare/rows.h"
#include "row-exits.h"
#include "row-marks.h"
#include "row-percent.h"
#include "row-ticks.h"

/* |difference| over the larger of the two sides of the host; none where that is 0. */
static struct quantity relative(double difference, struct quantity a, struct quantity b)
{
	double larger = fmax(fabs(quantity_double(a)), fabs(quantity_double(b)));

	return larger > 0 ? quantity_real(fabs(difference) / larger) : (struct quantity){0};
}

/* Returns the inputs of derived metrics for a group of one side. */
static struct derive_inputs inputs_of(const struct row_set *set, unsigned side,
                                      const struct group *group)
{
	return group_inputs(group, set->rate_lists[side], &set->frames[side]);
}

/* Share of the host's denominators that are the group's, on the side where it is smaller: a group that has
 * only now grown did not move the host-wide value by all it is now. */
static double weight(const struct row_set *set, const struct row_view *view)
{
	double share = 1;

	for (unsigned side = 0; side < set->sides; side++) {
		const struct group *group = view->sides[side];
		struct derive_inputs here, all;
		struct quantity part, whole;

		if (!group)
			continue;
		here = inputs_of(set, side, group);
		all = inputs_of(set, side, set->totals[side]);
		part = derive_weight(measure_derived(view->measure), &here);
		whole = derive_weight(measure_derived(view->measure), &all);
		if (part.kind == QUANTITY_NONE)
			return 1;
		if (whole.kind != QUANTITY_NONE && quantity_double(whole) > 0)
			share = fmin(share, quantity_double(part) / quantity_double(whole));
	}
	return share;
}

/* The CPU time of one mode that the whole host used between the sides, in clock ticks. */
static __int128 used_between(const struct row_set *set, unsigned measure)
{
	const struct row_cpu_time *before = &set->cpu_times[SIDE_BASELINE];
	const struct row_cpu_time *after = &set->cpu_times[SIDE_CANDIDATE];

	return measure == METRIC_utime_clock_ticks
	               ? (__int128)after->user_clock_ticks - before->user_clock_ticks
	               : (__int128)after->system_clock_ticks - before->system_clock_ticks;
}

/* Returns the growth of exited threads' CPU time, at most the time that the host used in between. The rest was used before the
 * baseline, by threads that were alive then. */
static struct quantity exited_movement(const struct row_set *set, const struct row_view *view)
{
	__int128 used = used_between(set, view->measure);

	if (view->delta.kind != QUANTITY_INTEGER || view->delta.integer <= used)
		return view->delta;
	return quantity_integer(used);
}

/* Returns whether a growth of exited threads' CPU time is beside deltas of the time in between, and cannot be of that time. */
static bool is_of_before(const struct row_set *set, const struct row_view *view)
{
	return set->interval_total && view->group->exited && view->delta.kind == QUANTITY_INTEGER &&
	       view->delta.integer > used_between(set, view->measure);
}

static struct quantity value_of(const struct row_set *set, unsigned side, const struct group *group,
                                unsigned measure, enum measure_per per)
{
	struct derive_inputs in = inputs_of(set, side, group);

	if (per == PER_thread && group->threads == 0 && measure_scales(measure))
		return (struct quantity){0};
	return row_in_common_ticks(set, side, measure, measure_quantity(measure, per, &in));
}

bool row_has_interval(const struct row_set *set, const struct row_group *group, unsigned measure)
{
	return set->interval_total && !group->exited && measure_scales(measure);
}

static struct derive_inputs inputs_between(const struct row_set *set, const struct group *group)
{
	return group_inputs(group, set->interval_rates, &set->interval_frame);
}

/* Windows differ in length, so that what happened in them compares as rates. */
static enum measure_per impact_per(const struct row_set *set, unsigned measure)
{
	bool windows = set->frames[0].kind == KIND_window &&
	               set->frames[set->sides - 1].kind == KIND_window;

	return windows && measure_scales(measure) ? PER_second : PER_total;
}

/* The value (in compare the difference) that the impact goes by, whatever the row shows. */
static struct quantity impact_difference(const struct row_set *set, const struct row_view *view,
                                         enum measure_per per)
{
	struct quantity values[SIDE_MAX] = {{0}};

	if (!row_ticks_compare(set, view->measure) ||
	    (set->sides == SIDE_MAX && row_marks_inputs(view) != ROW_INPUTS_SAME))
		return (struct quantity){0};
	if (per == view->per || view->group->exited)
		return set->sides == 1 ? view->inside[0] : view->delta_inside;
	for (unsigned side = 0; side < set->sides; side++)
		values[side] =
		        view->sides[side]
		                ? value_of(set, side, view->sides[side], view->measure, per)
		                : row_absent_value(set, view->group, side, view->measure, per);
	return set->sides == 1 ? values[0]
	                       : quantity_difference(values[SIDE_CANDIDATE], values[SIDE_BASELINE]);
}

/* Returns the share of the host that the row moved (in show: that it is): |delta| over the larger of the measure's two host-wide
 * totals. A ratio or an average has no total: its impact is the relative change of the host-wide value by the group's change.
 * Labels, places on a scale, CPU sets and floors have no impact, since the host's smallest value is no total. The time lived has
 * none, since it passes for all groups, and the number of threads has none in a window, since a longer window has more. */
static struct quantity impact_of(const struct row_set *set, const struct row_view *view)
{
	unsigned last = set->sides - 1;
	enum measure_per per = impact_per(set, view->measure);
	struct quantity difference = impact_difference(set, view, per);
	struct quantity totals[SIDE_MAX];
	double factor = 1;

	if (difference.kind == QUANTITY_NONE || view->no_movement || view->went_back ||
	    view->measured_differently || view->impossible_differs ||
	    view->measure == METRIC_lived_ns ||
	    (view->measure == METRIC_thread_count && set->frames[0].kind == KIND_window))
		return (struct quantity){0};
	if (view->group->exited)
		difference = exited_movement(set, view);
	/* Beside rows of an interval, theirs is a share of the interval, too. */
	if (view->group->exited && set->interval_total) {
		struct quantity used = quantity_integer(used_between(set, view->measure));

		return relative(quantity_double(difference), used, used);
	}
	if (!measure_is_derived(view->measure))
		switch (metric_table[view->measure].rule) {
		case RULE_SUM:
			break;
		case RULE_MAX:
			/* One group always holds the host's peak, which makes no share of it. */
			if (set->sides == 1)
				return (struct quantity){0};
			break;
		case RULE_MIN:
		case RULE_RANGE:
		case RULE_MODE:
		case RULE_AFFINITY:
			return (struct quantity){0};
		}
	for (unsigned side = 0; side < set->sides; side++) {
		struct derive_inputs all = inputs_of(set, side, set->totals[side]);

		totals[side] = row_in_common_ticks(set, side, view->measure,
		                                   measure_inside(view->measure, per, &all));
	}
	if (measure_is_derived(view->measure)) {
		if (set->sides == 1)
			return (struct quantity){0};
		factor = weight(set, view);
	}
	return relative(quantity_double(difference) * factor, totals[0], totals[last]);
}

static bool counter_fell(enum metric_id metric, const struct row_view *view)
{
	const struct fold_cell *baseline = &view->sides[SIDE_BASELINE]->cells[metric];
	const struct fold_cell *candidate = &view->sides[SIDE_CANDIDATE]->cells[metric];

	return metric_is_counter(metric) && baseline->seen > 0 && candidate->seen > 0 &&
	       candidate->number < baseline->number;
}

/* A derived metric fell with any of its inputs: it then compares different threads. */
static bool measure_fell(const struct row_view *view)
{
	const struct derived_desc *derived;

	if (!measure_is_derived(view->measure))
		return counter_fell((enum metric_id)view->measure, view);
	derived = &derived_table[measure_derived(view->measure)];
	for (size_t i = 0; i < derived->input_count; i++)
		if (counter_fell(derived->inputs[i], view))
			return true;
	return false;
}

/* Threads whose own value is in. */
static uint32_t own_seen(const struct group *group, enum metric_id metric)
{
	return group->cells[metric].seen - group_covered(group, metric);
}

/* The same without exited threads: either all threads have the metric on both sides, or none. The split of exited threads'
 * time by mode may change. */
static bool own_counter_fell(enum metric_id metric, const struct row_view *view)
{
	const struct group *before = view->sides[SIDE_BASELINE];
	const struct group *after = view->sides[SIDE_CANDIDATE];

	return metric_is_counter(metric) && own_seen(before, metric) > 0 &&
	       own_seen(before, metric) == own_seen(after, metric) &&
	       before->cells[metric].number - group_exited_part(before, metric) >
	               after->cells[metric].number - group_exited_part(after, metric);
}

static bool went_back(const struct row_set *set, const struct row_view *view)
{
	const struct row_group *group = view->group;
	const struct derived_desc *derived;

	if (!set->continues || view->members_differ || group->exited ||
	    !group->sides[SIDE_BASELINE] || !group->sides[SIDE_CANDIDATE] ||
	    set->frames[SIDE_BASELINE].kind == KIND_window)
		return false;
	if (!measure_is_derived(view->measure))
		return own_counter_fell((enum metric_id)view->measure, view);
	derived = &derived_table[measure_derived(view->measure)];
	for (size_t i = 0; i < derived->input_count; i++)
		if (own_counter_fell(derived->inputs[i], view))
			return true;
	return false;
}

/* Kernel workers change their name with the work they do, and carry what they have counted from group to
 * group. */
static bool is_kworkers(const struct row_set *set, const struct row_group *group)
{
	static const char prefix[] = "kworker/";

	for (unsigned key = 0; !group->exited && key < set->by.count; key++)
		if (strncmp(group->parts[key], prefix, strlen(prefix)) == 0)
			return true;
	return false;
}

static bool members_differ(const struct row_set *set, const struct row_group *group)
{
	const struct group *baseline = group->sides[SIDE_BASELINE];
	const struct group *candidate = group->sides[SIDE_CANDIDATE];

	return set->continues && baseline && candidate && !group->exited &&
	       (baseline->threads != candidate->threads || baseline->members != candidate->members);
}

static void set_coverage(const struct row_set *set, struct row_view *view, unsigned side,
                         const struct group *group)
{
	struct derive_inputs in = inputs_of(set, side, group);
	struct group_coverage coverage =
	        group_covers_measure(group, &in, view->measure, view->per == PER_thread,
	                             view->values[side].kind != QUANTITY_NONE);

	view->seen[side] = coverage.seen;
	view->expected[side] = coverage.expected;
}

static void set_missing_inputs(const struct row_set *set, struct row_view *view, unsigned side,
                               const struct group *group)
{
	struct metric_set *missing = &view->missing_inputs[side], unseen;
	struct derive_inputs in;

	if (!measure_is_derived(view->measure) || view->values[side].kind == QUANTITY_NONE)
		return;
	in = inputs_of(set, side, group);
	unseen = derive_missing(measure_derived(view->measure), &in);
	*missing =
	        group_parts_lack_exited(group, &set->frames[side], measure_derived(view->measure));
	for (unsigned i = 0; i < METRIC_SET_WORDS; i++)
		missing->words[i] |= unseen.words[i];
}

/* Returns the rate of the living threads, without those that have exited. */
static double living_rate(const struct row_set *set, unsigned side, const struct group *group,
                          enum metric_id metric)
{
	struct derive_inputs in = inputs_of(set, side, group);
	double rate = derive_rate(&in, metric);

	for (unsigned i = 0; group->exited_rates && i < PROCESS_TOTAL_COUNT; i++)
		if (process_total_table[i].metric == metric)
			rate -= rate_value(group->exited_rates[i]);
	return rate;
}

/* Returns the mean over the threads. Exited threads are in the value but are not counted. */
static struct quantity mean_of(const struct row_set *set, const struct row_view *view,
                               unsigned side)
{
	const struct group *group = view->sides[side];
	enum metric_id metric = (enum metric_id)view->measure;
	double sum;

	if (!group || group->threads == 0 || own_seen(group, metric) == 0 ||
	    view->per == PER_cpu_second || view->values[side].kind == QUANTITY_NONE)
		return (struct quantity){0};
	if (view->per == PER_second)
		sum = living_rate(set, side, group, metric);
	else
		sum = (double)group->cells[metric].number -
		      (double)group_exited_part(group, metric);
	return quantity_real(sum / own_seen(group, metric));
}

static void set_means(const struct row_set *set, struct row_view *view)
{
	if (measure_is_derived(view->measure) || metric_table[view->measure].rule != RULE_SUM)
		return;
	for (unsigned side = 0; side < set->sides; side++)
		view->means[side] =
		        row_in_common_ticks(set, side, view->measure, mean_of(set, view, side));
}

/* Each thread's rate is cut off at its last bit, and a sum is as exact as a double, so that the same work in windows of different
 * length may seem to differ. */
static struct quantity without_rounding(const struct row_set *set, const struct row_view *view)
{
	enum { DOUBLE_BITS = 48 };
	bool rate = view->per == PER_second ||
	            (measure_is_derived(view->measure) &&
	             basis_is_of_rates(derived_table[measure_derived(view->measure)].basis));
	double cut_off =
	        rate || view->per == PER_cpu_second
	                ? ldexp(fabs(quantity_double(view->values[SIDE_BASELINE])), -DOUBLE_BITS)
	                : 0;

	for (unsigned side = 0; rate && side < SIDE_MAX; side++)
		if (view->group->sides[side])
			cut_off += 2 * row_ticks_factor(set, side, view->measure) *
			           ldexp(view->group->sides[side]->threads, -RATE_FRACTION_BITS);
	return view->delta.kind == QUANTITY_REAL && fabs(view->delta.real) <= cut_off
	               ? quantity_real(0)
	               : view->delta;
}

/* The share of what the host did between the snapshots. */
static struct quantity interval_impact(const struct row_set *set, const struct row_view *view)
{
	struct derive_inputs in = inputs_between(set, set->interval_total);
	struct quantity all;

	if (view->delta.kind == QUANTITY_NONE || view->measure == METRIC_lived_ns)
		return (struct quantity){0};
	all = measure_inside(view->measure, view->per, &in);
	return relative(quantity_double(view->delta_inside), all, all);
}

static bool lacks_threads(const struct row_set *set, const struct row_view *view,
                          const struct group *group)
{
	struct derive_inputs in = group_inputs(group, set->interval_rates, &set->interval_frame);
	struct group_coverage coverage;

	if (group_measure_lacks_exited(group, &set->interval_frame, view->measure))
		return true;
	coverage = group_covers_measure(group, &in, view->measure, false, true);
	return coverage.seen < coverage.expected;
}

/* Returns whether threads of the group were there before it, under another name that others have kept. */
static bool has_come(const struct row_set *set, const struct row_group *group)
{
	return set->interval_total && !group->exited && !group->sides[SIDE_BASELINE] &&
	       group->interval && group->interval->continued > 0;
}

static bool has_input(const struct row_view *view, unsigned side, enum metric_id input)
{
	return view->sides[side] && view->sides[side]->cells[input].seen > 0;
}

/* Removes the delta of a sum of parts between the snapshots if one of them has a part that the other one does not have at all, and
 * marks it if it lacks a part, or that of some threads. Parts that both lack are marked at their values, if they have any. */
static void judge_parts(struct row_view *view, const struct derive_inputs *in)
{
	const struct derived_desc *derived;
	struct metric_set missing;
	bool has_values = row_has_value(view, SIDE_BASELINE) || row_has_value(view, SIDE_CANDIDATE);

	if (!measure_is_derived(view->measure) || view->delta.kind == QUANTITY_NONE)
		return;
	derived = &derived_table[measure_derived(view->measure)];
	missing = derive_missing(measure_derived(view->measure), in);
	for (size_t i = 0; i < derived->input_count; i++) {
		enum metric_id input = derived->inputs[i];
		bool before = has_input(view, SIDE_BASELINE, input);
		bool after = has_input(view, SIDE_CANDIDATE, input);

		if (!metric_set_has(&missing, input) || (!before && !after && has_values))
			continue;
		view->delta_partial = true;
		if (in->cells[input].seen == 0 && before != after && view->sides[SIDE_BASELINE] &&
		    view->sides[SIDE_CANDIDATE])
			view->delta = (struct quantity){0};
	}
	view->delta_partial = view->delta_partial && view->delta.kind != QUANTITY_NONE;
}

/* Returns whether the group is of exited threads of processes of which one may have left, with all of its work: they are not the same in
 * both snapshots, and threads have left in between. */
static bool may_lack_processes(const struct row_set *set, const struct row_view *view)
{
	const struct group *before = view->sides[SIDE_BASELINE],
	                   *after = view->sides[SIDE_CANDIDATE];

	return row_group_is_exited(view->group) && before && after &&
	       before->members != after->members && set->interval_frame.missed > 0;
}

/* The delta is what happened between the snapshots. A group that was not there did all that it has done since, unless it
 * has threads with earlier work, of which the baseline says nothing under this name. */
static void set_between(const struct row_set *set, struct row_view *view)
{
	const struct group *group = group_read(&set->readers[SIDE_MAX], view->group->interval);

	view->is_interval = true;
	view->members_differ = members_differ(set, view->group) || has_come(set, view->group);
	if (group) {
		struct derive_inputs in = inputs_between(set, group);

		view->delta = measure_quantity(view->measure, view->per, &in);
		view->delta_began_before = measure_began_before(view->measure, &in) > 0 &&
		                           view->delta.kind != QUANTITY_NONE;
	}
	/* The window has no difference of a counter that fell. The other counters of its thread are missing with it if it may have
	 * been another thread. */
	view->went_back = view->delta.kind == QUANTITY_NONE && went_back(set, view);
	view->delta_partial =
	        group && !view->went_back &&
	        (lacks_threads(set, view, group) || may_lack_processes(set, view)) &&
	        (view->delta.kind != QUANTITY_NONE ||
	         (row_has_value(view, SIDE_BASELINE) && row_has_value(view, SIDE_CANDIDATE)));
	if (group) {
		struct derive_inputs in = inputs_between(set, group);

		judge_parts(view, &in);
		row_percent_set_interval(view, &in);
	}
	if (!view->sides[SIDE_BASELINE] && view->delta.kind != QUANTITY_NONE &&
	    !has_come(set, view->group))
		view->values[SIDE_BASELINE] = quantity_integer(0);
	/* Rates of lives and of the time in between are no parts of each other; nor are means of other threads. */
	if ((view->per == PER_total || (view->per == PER_thread && !view->members_differ)) &&
	    row_marks_inputs(view) == ROW_INPUTS_SAME &&
	    !(group && row_percent_is_of_fewer(view, group)))
		view->percent = row_percent(view);
}

/* Sets the values of sides that do not have the group, unless the other side has no value. */
static void set_absent(const struct row_set *set, struct row_view *view)
{
	for (unsigned side = 0; side < set->sides; side++) {
		if (view->sides[side] || view->values[!side].kind == QUANTITY_NONE)
			continue;
		view->values[side] =
		        row_absent_value(set, view->group, side, view->measure, view->per);
		if (view->values[side].kind != QUANTITY_NONE)
			view->absence[side] = row_absence(set, view->group, side);
	}
}

/* Returns whether the side would show the group if it had been there. */
static bool was_not_there(const struct row_set *set, const struct row_group *group, unsigned side)
{
	return (set->interval_total || row_has_absence(set, group, side)) && !group->exited &&
	       !group->sides[side] && row_absence(set, group, side) != ABSENCE_UNKNOWN &&
	       !row_unread_may_have(set, group, METRIC_thread_count);
}

static void set_difference(const struct row_set *set, struct row_view *view)
{
	struct quantity delta =
	        quantity_difference(view->values[SIDE_CANDIDATE], view->values[SIDE_BASELINE]);
	enum row_inputs inputs = row_marks_inputs(view);

	if (inputs == ROW_INPUTS_DIFFER || view->went_back || view->impossible_differs ||
	    !row_ticks_compare(set, view->measure) ||
	    (inputs == ROW_INPUTS_UNEVEN && !row_marks_uneven_is_small(view, delta)))
		return;
	view->delta = delta;
	view->delta_partial = inputs == ROW_INPUTS_UNEVEN;
}

/* Values of unlike shares of the threads have a difference that may be one of what was read. */
static void set_shares(const struct row_set *set, struct row_view *view)
{
	enum row_shares shares;

	if (view->delta.kind == QUANTITY_NONE)
		return;
	shares = row_marks_shares(set, view);
	view->delta_partial = view->delta_partial || shares == ROW_SHARES_UNEVEN;
	view->measured_differently = view->measured_differently || shares == ROW_SHARES_DIFFER;
}

void row_view(const struct row_set *set, const struct row_group *group, unsigned measure,
              struct row_view *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->group = group;
	ret->measure = measure;
	ret->clock_ticks_per_second = row_ticks_per_second(set);
	ret->per = measure_scales(measure) && !group->exited ? set->per : PER_total;
	for (unsigned side = 0; side < set->sides; side++) {
		const struct group *here = group_read(&set->readers[side], group->sides[side]);
		struct derive_inputs in;

		ret->sides[side] = here;
		if (!here)
			continue;
		ret->values[side] = value_of(set, side, here, measure, ret->per);
		if (!measure_is_derived(measure))
			ret->cells[side] = &here->cells[measure];
		set_coverage(set, ret, side, here);
		set_missing_inputs(set, ret, side, here);
		in = inputs_of(set, side, here);
		ret->began_before[side] = measure_began_before(measure, &in);
		ret->exited_left_out =
		        ret->exited_left_out ||
		        group_measure_lacks_exited(here, &set->frames[side], measure);
	}
	set_absent(set, ret);
	row_percent_set_inside(set, ret);
	set_means(set, ret);
	ret->is_new = was_not_there(set, group, SIDE_BASELINE) && !has_come(set, group);
	ret->is_gone = was_not_there(set, group, SIDE_CANDIDATE);
	if (row_has_interval(set, group, measure)) {
		set_between(set, ret);
	} else if (set->sides == SIDE_MAX) {
		ret->members_differ = members_differ(set, group);
		ret->went_back = went_back(set, ret);
		ret->measured_differently = row_is_measured_differently(set, ret);
		ret->impossible_differs = row_marks_impossible_differ(set, group, measure);
		set_difference(set, ret);
		set_shares(set, ret);
		ret->delta = without_rounding(set, ret);
		if (is_of_before(set, ret))
			ret->delta = (struct quantity){0};
		row_percent_set_difference(ret);
		ret->percent = row_percent(ret);
		ret->no_movement = group->exited
		                           ? measure_fell(ret)
		                           : ret->members_differ &&
		                                     (is_kworkers(set, group) || measure_fell(ret));
	}
	ret->impact = row_has_interval(set, group, measure) ? interval_impact(set, ret)
	                                                    : impact_of(set, ret);
}
