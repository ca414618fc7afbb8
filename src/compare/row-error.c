// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel has CPU time in steps, and threads of a window are not read at one moment. */
#include <math.h>

#include "base/clock.h"
#include "row-ticks.h"

/* The input of an error: a side of a row. */
struct error_side {
	const struct group *group;
	const struct derive_frame *frame;
	struct derive_inputs inputs;
};

/* Threads whose whole life is known to the last switch. The parts of a tick that they have are carried on from one to
 * the next, so that of all of them one tick may be missing. */
static double known_whole(const struct error_side *side)
{
	return side->frame->exits == WINDOW_EXITS_completed ? side->group->passed : 0;
}

/* Returns by how many ticks the CPU time by mode differs from the run time; infinite if that is not known. */
static double ticks_apart(const struct error_side *side)
{
	const struct fold_cell *cells = side->group->cells;
	const struct fold_cell *run_time = &cells[METRIC_run_time_ns];
	const struct fold_cell *user = &cells[METRIC_utime_clock_ticks];
	const struct fold_cell *system = &cells[METRIC_stime_clock_ticks];

	if (run_time->seen != user->seen || run_time->seen != system->seen)
		return INFINITY;
	return fabs((double)run_time->number * (double)side->frame->clock_ticks_per_second /
	                    NS_PER_SECOND -
	            (double)user->number - (double)system->number);
}

/* The parts of a sum of windows with gaps. Each has its own two ends, at which readings are off; windows without a gap between them
 * share a reading. */
static double segments(const struct error_side *side)
{
	return 1 + (double)side->frame->gaps;
}

/* In a sum of windows a life may be in several of them, each with its own rounding. The run time shows whether ticks were carried on
 * from one to the next; then its last window may be off by one tick, and those before by another. A life may be in all segments, and
 * nothing is carried over a gap. */
static double ticks_off(const struct error_side *side, double threads)
{
	double whole = known_whole(side), parts = segments(side);
	double off = parts * (fmax(threads - whole, 0) + (whole > 0 ? 1 + side->frame->is_sum : 0));

	return whole > 0 && side->frame->is_sum
	               ? fmin(fmax(off, ticks_apart(side)), fmax(off, parts * threads))
	               : off;
}

/* Only who is on a CPU has run since the last time that it was noted; but a record of an exit may lack what its thread
 * ran in its last step. A total with exited threads lacks the last steps of each. */
static double run_time_ticks_off(const struct error_side *side, double threads, double cpus)
{
	bool recorded =
	        side->frame->kind == KIND_window && side->frame->exits != WINDOW_EXITS_completed;
	double ended = recorded ? side->group->ended : known_whole(side);

	return segments(side) * fmin(fmax(threads - ended, 0), cpus) +
	       (recorded ? fmin(ended, threads) : 0);
}

/* Returns the largest error of a sum by the steps of the kernel's clock; none if the clock is not known. */
static struct quantity steps_of(const struct error_side *side, enum metric_id metric)
{
	double frequency = (double)side->frame->clock_ticks_per_second;
	double cpus = (double)side->frame->online_cpus;
	double threads = side->group->cells[metric].seen;

	if (metric_unit(metric) == UNIT_ticks)
		return quantity_real(ticks_off(side, threads));
	if (metric != METRIC_run_time_ns)
		return quantity_real(0);
	if (frequency <= 0 || cpus <= 0 || side->group->exited_short_ns == UINT64_MAX)
		return (struct quantity){0};
	return quantity_real(run_time_ticks_off(side, threads, cpus) * NS_PER_SECOND / frequency +
	                     (double)side->group->exited_short_ns);
}

/* The part of a value that may be of the time before or behind the window; none where that is not known. */
static struct quantity skew_of(const struct error_side *side)
{
	const struct derive_frame *frame = side->frame;

	if (frame->kind != KIND_window)
		return quantity_real(0);
	return frame->read_skew_known && frame->shortest_ns > 0
	               ? quantity_real(segments(side) * (double)frame->read_skew_ns /
	                               (double)frame->shortest_ns)
	               : (struct quantity){0};
}

/* Returns the CPU time that may be of the time behind the window, or lack of that in it. It is that of threads that were born or ended
 * in it: a pass over /proc reads them some time after its begin, and they may end in between. */
static double edge_ns(const struct error_side *side)
{
	const struct group *group = side->group;
	const struct derive_frame *frame = side->frame;
	double cpus = frame->online_cpus > 0 ? (double)frame->online_cpus : INFINITY;
	double late = 0, early = 0;

	if (frame->kind != KIND_window)
		return 0;
	if (group->late_run_ns > 0)
		late = fmin((double)group->late_run_ns, cpus * (double)group->late_ns);
	if (group->first_read > 0 && frame->begin_ns > 0 && group->first_read_ns > frame->begin_ns)
		early = fmin(group->first_read, cpus) *
		        (double)(group->first_read_ns - frame->begin_ns);
	return fmax(late, early);
}

/* Returns what of a sum may be of that time. */
static double edge_of(const struct error_side *side, enum metric_id metric)
{
	double ns = edge_ns(side);

	if (ns == 0 || metric == METRIC_run_time_ns)
		return ns;
	if (metric_unit(metric) == UNIT_ticks)
		return ns * (double)side->frame->clock_ticks_per_second / NS_PER_SECOND;
	return (double)side->group->cells[metric].number * side->group->late_parts /
	       side->group->threads;
}

/* The same per second. */
static double edge_per_second(const struct error_side *side, enum metric_id metric)
{
	double edge = edge_of(side, metric), length_ns = (double)side->frame->shortest_ns;

	return edge > 0 && length_ns > 0 ? edge * NS_PER_SECOND / length_ns : 0;
}

/* Reading jemalloc's counters begins when all else has been read. Their rates are by their own interval, and so are not
 * off by that, but their sums are of that interval and not of the window. */
static struct quantity skew_of_metric(const struct error_side *side, enum metric_id metric,
                                      bool is_sum)
{
	struct quantity skew = skew_of(side);

	if (side->frame->kind != KIND_window || metric_table[metric].source != SOURCE_jemalloc ||
	    skew.kind == QUANTITY_NONE)
		return skew;
	if (isinf(side->group->jemalloc_lag))
		return (struct quantity){0};
	return is_sum ? quantity_real(quantity_double(skew) + side->group->jemalloc_lag) : skew;
}

/* Returns one step per second: one by the time in which a thread was observed, the mean over the threads. */
static struct quantity per_second_of(const struct error_side *side)
{
	const struct rate_list *list = side->inputs.rate_list;

	if (!side->inputs.rates || !list || list->places[METRIC_thread_count] == 0)
		return (struct quantity){0};
	return quantity_real(derive_rate(&side->inputs, METRIC_thread_count) /
	                     side->group->threads);
}

/* The error of a sum that counts the whole window, or the whole life. */
static struct quantity error_of_sum(const struct error_side *side, enum metric_id metric)
{
	struct quantity steps = steps_of(side, metric);
	struct quantity skew = skew_of_metric(side, metric, true);

	if (steps.kind == QUANTITY_NONE || skew.kind == QUANTITY_NONE)
		return (struct quantity){0};
	return quantity_real(quantity_double(steps) + edge_of(side, metric) +
	                     quantity_double(skew) * (double)side->group->cells[metric].number);
}

/* Does so for a rate, but for the edges of the window. */
static struct quantity error_inside(const struct error_side *side, enum metric_id metric,
                                    double value)
{
	struct quantity steps = steps_of(side, metric);
	struct quantity skew = skew_of_metric(side, metric, false);
	struct quantity per_second = per_second_of(side);

	if (steps.kind == QUANTITY_NONE || skew.kind == QUANTITY_NONE ||
	    per_second.kind == QUANTITY_NONE)
		return (struct quantity){0};
	return quantity_real(quantity_double(steps) * quantity_double(per_second) +
	                     quantity_double(skew) * value);
}

static struct quantity error_of_rate(const struct error_side *side, enum metric_id metric,
                                     double value)
{
	struct quantity inside = error_inside(side, metric, value);

	return inside.kind == QUANTITY_NONE
	               ? inside
	               : quantity_real(quantity_double(inside) + edge_per_second(side, metric));
}

/* Both what is divided and the CPU time that it is divided by may be off. */
static struct quantity error_per_cpu_second(const struct error_side *side, enum metric_id metric,
                                            double value)
{
	double run_time = (double)side->group->cells[METRIC_run_time_ns].number;
	struct quantity here = error_of_sum(side, metric);
	struct quantity below = error_of_sum(side, METRIC_run_time_ns);

	if (metric == METRIC_run_time_ns || here.kind == QUANTITY_NONE ||
	    below.kind == QUANTITY_NONE)
		return (struct quantity){0};
	return quantity_real(
	        (quantity_double(here) * NS_PER_SECOND + value * quantity_double(below)) /
	        run_time);
}

/* Returns whether threads were born or ended in windows of several hosts, and by /proc: when each pass began and ended is not known. */
static bool has_unknown_edges(const struct error_side *side)
{
	return side->frame->hides_passes && side->group->born + side->group->ended > 0;
}

/* Time in user mode and in kernel mode are off by themselves. */
static struct quantity error_of_percent(const struct error_side *side, enum derived_id derived,
                                        double value)
{
	double cpus = derived == DERIVED_cpu_percent_host ? (double)side->frame->online_cpus : 1;
	struct quantity user = error_inside(side, METRIC_utime_clock_ticks, 0);
	struct quantity system = error_inside(side, METRIC_stime_clock_ticks, 0);
	double edge = edge_per_second(side, METRIC_utime_clock_ticks); /* of both modes together */

	if ((derived != DERIVED_cpu_percent && derived != DERIVED_cpu_percent_host &&
	     derived != DERIVED_cpu_lifetime_percent) ||
	    has_unknown_edges(side))
		return (struct quantity){0};
	if (user.kind == QUANTITY_NONE || system.kind == QUANTITY_NONE)
		return (struct quantity){0};
	return quantity_real(100 * (quantity_double(user) + quantity_double(system) + edge) /
	                             (double)side->frame->clock_ticks_per_second / cpus +
	                     quantity_double(skew_of(side)) * value);
}

static bool has_error(const struct error_side *side, enum metric_id metric)
{
	return metric_has_rate(metric) && metric != METRIC_lived_ns && !has_unknown_edges(side) &&
	       (side->frame->kind == KIND_window || metric == METRIC_run_time_ns ||
	        metric_unit(metric) == UNIT_ticks);
}

/* Returns the error in the unit of the side. */
static struct quantity own_error(const struct row_set *set, const struct row_view *view,
                                 unsigned side)
{
	const struct group *group = view->sides[side];
	enum metric_id metric = (enum metric_id)view->measure;
	/* The value is in ticks of the side's own clock, as all else is here. */
	double value =
	        quantity_double(view->values[side]) / row_ticks_factor(set, side, view->measure);
	struct error_side here;
	struct quantity sum;

	if (!group || group->threads == 0 || view->values[side].kind == QUANTITY_NONE)
		return (struct quantity){0};
	here = (struct error_side){group, &set->frames[side],
	                           group_inputs(group, set->rate_lists[side], &set->frames[side])};
	if (measure_is_derived(view->measure))
		return error_of_percent(&here, measure_derived(view->measure), value);
	if (!has_error(&here, metric) || group->cells[metric].seen == 0)
		return (struct quantity){0};
	switch (view->per) {
	case PER_second:
		return error_of_rate(&here, metric, value);
	case PER_cpu_second:
		return error_per_cpu_second(&here, metric, value);
	case PER_thread:
		sum = error_of_sum(&here, metric);
		return sum.kind == QUANTITY_NONE
		               ? sum
		               : quantity_real(quantity_double(sum) / group->cells[metric].seen);
	case PER_total:
	case PER_COUNT:
		break;
	}
	return error_of_sum(&here, metric);
}

struct quantity row_error(const struct row_set *set, const struct row_view *view, unsigned side)
{
	return row_in_common_ticks(set, side, view->measure, own_error(set, view, side));
}

bool row_error_is_notable(struct quantity error, struct quantity value)
{
	return error.kind != QUANTITY_NONE && value.kind != QUANTITY_NONE &&
	       quantity_double(error) > fabs(quantity_double(value)) / 100;
}
