// SPDX-License-Identifier: GPL-2.0-or-later
#include "row-visible.h"

#include <math.h>
#include <string.h>

#include "measure/repeats.h"
#include "metric/units.h"

static bool has_digit(const char *text)
{
	return strpbrk(text, "123456789") != NULL;
}

/* Returns whether the difference reads as "+0" or "-0.000". */
static bool reads_as_zero(const struct row_view *view)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (quantity_is_zero(view->delta))
		return true;
	/* Clock ticks are shown as time, which has more digits. */
	if (view->delta.kind != QUANTITY_REAL || measure_unit(view->measure) == UNIT_ticks)
		return false;
	units_format_delta(measure_unit(view->measure), view->delta,
	                   measure_is_derived(view->measure), &text);
	return !has_digit(strbuf_str(&text));
}

/* Returns whether the percentage reads as "+0.0%". For an interval, and for all threads that have exited since boot, it is false: the
 * baseline is a whole lifetime. */
static bool percent_reads_as_zero(const struct row_view *view)
{
	const double shown_from = 0.05;

	/* Values that differ in what began before the window have the same parts inside. */
	if (row_has_waits_before(view, SIDE_BASELINE) || row_has_waits_before(view, SIDE_CANDIDATE))
		return false;
	return !view->is_interval && !view->group->exited && view->percent.kind != QUANTITY_NONE &&
	       fabs(quantity_double(view->percent)) < shown_from;
}

static bool same_winner(const struct row_view *view)
{
	uint32_t threads;

	return strcmp(fold_winner(view->cells[SIDE_BASELINE], &threads),
	              fold_winner(view->cells[SIDE_CANDIDATE], &threads)) == 0;
}

bool row_is_visible(const struct row_view *view)
{
	enum metric_id metric = (enum metric_id)view->measure;
	bool both = row_has_value(view, SIDE_BASELINE) && row_has_value(view, SIDE_CANDIDATE);

	if (!measure_is_derived(view->measure))
		switch (metric_table[metric].rule) {
		case RULE_MODE:
			return !both || !same_winner(view);
		case RULE_RANGE:
		case RULE_AFFINITY:
			return !both || !fold_equal(metric, view->cells[SIDE_BASELINE],
			                            view->cells[SIDE_CANDIDATE]);
		case RULE_MIN:
			if (!both)
				return false;
			break;
		case RULE_SUM:
		case RULE_MAX:
			break;
		}
	/* A zero that lacks the work of some threads is no zero. */
	return view->delta.kind == QUANTITY_NONE || (view->is_interval && view->delta_partial) ||
	       (!reads_as_zero(view) && !percent_reads_as_zero(view));
}

struct saying {
	const struct row_set *set;
	const struct row_options *options;
	const struct row_view *view; /* what is to be said */
};

static fold_number exited_part(const struct row_view *view, unsigned side)
{
	return measure_is_derived(view->measure) || !view->sides[side]
	               ? 0
	               : group_exited_part(view->sides[side], (enum metric_id)view->measure);
}

static bool says_no_less(const struct row_view *view, const struct row_view *other, unsigned side)
{
	if (!row_has_value(view, side))
		return true;
	return row_has_value(other, side) && other->seen[side] >= view->seen[side] &&
	       (exited_part(view, side) == 0 || exited_part(other, side) > 0);
}

static bool says(const void *context, unsigned measure)
{
	const struct saying *saying = context;
	const struct row_view *view = saying->view;
	struct row_view other;

	if (!saying->options->measures[measure])
		return false;
	row_view(saying->set, view->group, measure, &other);
	for (unsigned side = 0; side < saying->set->sides; side++)
		if (!says_no_less(view, &other, side))
			return false;
	return view->delta.kind == QUANTITY_NONE ||
	       (other.delta.kind != QUANTITY_NONE && other.delta_partial <= view->delta_partial);
}

bool row_is_said(const struct row_set *set, const struct row_options *options,
                 const struct row_view *view)
{
	const struct saying saying = {set, options, view};

	return options->once[view->measure] && measure_is_said(view->measure, says, &saying);
}
