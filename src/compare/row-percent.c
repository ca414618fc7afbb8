// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-percent.h"

#include <float.h>
#include <math.h>

void row_percent_set_inside(const struct row_set *set, struct row_view *view)
{
	for (unsigned side = 0; side < set->sides; side++) {
		struct derive_inputs in;

		view->inside[side] = view->values[side];
		if (!view->sides[side] || view->began_before[side] == 0)
			continue;
		in = group_inputs(view->sides[side], set->rate_lists[side], &set->frames[side]);
		view->inside[side] = row_in_common_ticks(
		        set, side, view->measure, measure_inside(view->measure, view->per, &in));
	}
}

void row_percent_set_difference(struct row_view *view)
{
	bool differs = row_has_waits_before(view, SIDE_BASELINE) ||
	               row_has_waits_before(view, SIDE_CANDIDATE);

	view->delta_inside = view->delta;
	if (differs && view->delta.kind != QUANTITY_NONE)
		view->delta_inside = quantity_difference(view->inside[SIDE_CANDIDATE],
		                                         view->inside[SIDE_BASELINE]);
}

void row_percent_set_interval(struct row_view *view, const struct derive_inputs *in)
{
	view->delta_inside = view->delta;
	if (view->delta_began_before && view->delta.kind != QUANTITY_NONE)
		view->delta_inside = measure_inside(view->measure, view->per, in);
}

static bool is_of_fewer(const struct group *baseline, const struct group *interval,
                        enum metric_id metric)
{
	static const double most = .1;
	struct group_coverage of = {baseline->cells[metric].seen, baseline->threads};
	struct group_coverage other = {interval->cells[metric].seen, interval->threads};

	if (of.seen == 0)
		return other.seen > 0;
	return (uint64_t)of.seen * other.expected < (uint64_t)other.seen * of.expected &&
	       group_shares_part(of, other) >= most;
}

bool row_percent_is_of_fewer(const struct row_view *view, const struct group *interval)
{
	const struct group *baseline = view->sides[SIDE_BASELINE];
	const struct derived_desc *derived;

	if (!baseline)
		return false;
	if (!measure_is_derived(view->measure))
		return is_of_fewer(baseline, interval, (enum metric_id)view->measure);
	derived = &derived_table[measure_derived(view->measure)];
	for (size_t i = 0; i < derived->input_count; i++)
		if (is_of_fewer(baseline, interval, derived->inputs[i]))
			return true;
	return false;
}

/* A place on a scale has no size that another one could be a share of: nice 5 is not so many percent of nice 1. */
static bool is_ordinal(unsigned measure)
{
	return !measure_is_derived(measure) && metric_table[measure].rule == RULE_RANGE;
}

struct quantity row_percent(const struct row_view *view)
{
	double baseline = quantity_double(view->inside[SIDE_BASELINE]);

	if (view->delta_inside.kind == QUANTITY_NONE || measure_unit(view->measure) == UNIT_ratio ||
	    is_ordinal(view->measure) || !(fabs(baseline) > DBL_EPSILON))
		return (struct quantity){0};
	return quantity_real(100 * quantity_double(view->delta_inside) / fabs(baseline));
}
