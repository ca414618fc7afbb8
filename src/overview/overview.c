// SPDX-License-Identifier: GPL-2.0-or-later
#include "overview/overview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/own-names.h"
#include "measure/measure.h"
#include "overview/overview-unlike.h"

struct building {
	struct overview *overview;
	const struct row_set *set;
	/* The frames of the values: those of the sides, or of the window between them. */
	const struct derive_frame *frames[SIDE_MAX];
	const struct rate_list *rate_lists[SIDE_MAX];
	const struct group *totals[SIDE_MAX];
	const struct aspect_source *sources[ASPECT_COUNT]; /* NULL: no snapshot has the aspect */
	struct group_reader readers[SIDE_MAX];
};

enum overview_kind overview_kind_of(const struct row_set *set)
{
	bool window = set->frames[SIDE_BASELINE].kind == KIND_window;

	if (set->interval_total)
		return OVERVIEW_INTERVAL;
	if (set->sides == SIDE_MAX)
		return window ? OVERVIEW_CHANGE : OVERVIEW_LIVES_CHANGE;
	return window ? OVERVIEW_WINDOW : OVERVIEW_LIVES;
}

/* Returns whether the side has the metric, and as time if it is one. A side may have no thread of those that were chosen. */
static bool is_seen(const struct building *building, unsigned side, enum metric_id metric)
{
	const struct group *total = building->totals[side];

	return measure_has_length(measure_unit(metric), building->frames[side]) &&
	       (group_number(total, metric).seen > 0 ||
	        (total->threads == 0 && row_is_seen_elsewhere(building->set, side, metric)));
}

/* Returns whether each side has a metric of the source: they only add, and a sum without one is partial. */
static bool source_is_seen(const struct building *building, const struct aspect_source *source)
{
	for (unsigned side = 0; side < building->overview->sides; side++) {
		bool any = false;

		for (unsigned i = 0; i < source->count; i++)
			any = any || is_seen(building, side, source->metrics[i]);
		if (!any)
			return false;
	}
	return true;
}

/* One source for all rows and sides: others would not compare with it. */
static void choose_sources(struct building *building)
{
	for (unsigned a = 0; a < ASPECT_COUNT; a++)
		for (unsigned i = aspect_table[a].source_count; i-- > 0;)
			if (source_is_seen(building, &aspect_table[a].sources[i]))
				building->sources[a] = &aspect_table[a].sources[i];
}

/* Per second of a window. Each thread's work is divided by the distance of its own two readings: where a reading of all threads
 * takes long, that is another one than the length of the window, by which the work of threads born or ended inside is
 * divided. A wait that began before the window counts with its part inside. */
static double rate_of(const struct group *group, enum metric_id metric,
                      const struct rate_list *list)
{
	unsigned place = list && group->rates ? list->places[metric] : 0;
	double rate = place > 0 ? rate_value(group->rates[place - 1]) : 0;

	return group->before ? rate - rate_value(group->before[metric].beyond_rate) : rate;
}

/* The sum, or the rate, in the metric's unit, ticks as nanoseconds. */
static double number_of(const struct building *building, unsigned side, const struct group *group,
                        enum metric_id metric, bool per_second)
{
	uint64_t ticks_per_second = building->frames[side]->clock_ticks_per_second;
	double number = per_second ? rate_of(group, metric, building->rate_lists[side])
	                           : (double)group->cells[metric].number;

	return measure_unit(metric) == UNIT_ticks
	               ? number * NS_PER_SECOND / (double)ticks_per_second
	               : number;
}

static bool lacks_threads(const struct group *group, const struct derive_frame *frame,
                          enum metric_id metric)
{
	struct group_coverage coverage = group_covers(group, frame, metric);

	return coverage.seen < coverage.expected ||
	       group_measure_lacks_exited(group, frame, metric);
}

/* Adds the CPU time of exited threads that only clock ticks have. */
static void add_exited_run(const struct group *group, const struct derive_frame *frame,
                           bool per_second, struct overview_value *value)
{
	if (group->exited_run_ns == 0)
		return;
	value->seen = true;
	value->amount +=
	        per_second ? rate_value(group->exited_run_rate) : (double)group->exited_run_ns;
	value->partial = lacks_threads(group, frame, METRIC_utime_clock_ticks) ||
	                 lacks_threads(group, frame, METRIC_stime_clock_ticks);
}

static struct overview_value value_of(const struct building *building, unsigned aspect,
                                      unsigned side, const struct group *group)
{
	const struct derive_frame *frame = building->frames[side];
	const struct aspect_source *source = building->sources[aspect];
	enum aspect_kind kind = aspect_table[aspect].kind;
	bool per_second =
	        kind != ASPECT_KIND_PEAK && !overview_is_of_lives(building->overview->kind);
	struct overview_value value = {0};

	if (!group || !source)
		return value;
	if (kind == ASPECT_KIND_THREADS)
		return (struct overview_value){.seen = true,
		                               .amount = group->threads - group->ended};
	for (unsigned i = 0; i < source->count; i++) {
		enum metric_id metric = source->metrics[i];
		struct group_coverage coverage = group_covers(group, frame, metric);
		uint32_t seen = coverage.seen;

		if (coverage.expected > seen && coverage.expected - seen > value.lacking)
			value.lacking = coverage.expected - seen;
		value.seen = value.seen || seen > 0;
		value.partial = value.partial || lacks_threads(group, frame, metric);
		value.lacks_exited =
		        value.lacks_exited || group_measure_lacks_exited(group, frame, metric);
		value.began_before = value.began_before || (per_second && group->before &&
		                                            group->before[metric].threads > 0);
		value.amount += seen > 0 ? number_of(building, side, group, metric, per_second) : 0;
		if (metric == METRIC_run_time_ns)
			add_exited_run(group, frame, per_second, &value);
	}
	if (per_second && (group->rates_unknown || frame->length_ns == 0))
		return (struct overview_value){.lacking = value.lacking};
	if (per_second && kind == ASPECT_KIND_TIME)
		value.amount *= 100.0 / NS_PER_SECOND;
	return value;
}

static uint32_t alive(const struct group *group)
{
	return group ? group->threads - group->ended : 0;
}

static struct overview_threads threads_of(const struct overview *overview,
                                          const struct group *const sides[SIDE_MAX])
{
	const struct group *only = sides[SIDE_BASELINE];
	struct overview_threads threads = {0};

	if (overview_is_change(overview->kind)) {
		threads.before = alive(sides[SIDE_BASELINE]);
		threads.after = alive(sides[SIDE_CANDIDATE]);
		/* All threads count of a group that only one side has. */
		if (!sides[SIDE_BASELINE])
			threads.born = sides[SIDE_CANDIDATE]->threads;
		else if (!sides[SIDE_CANDIDATE])
			threads.gone = sides[SIDE_BASELINE]->threads;
		for (unsigned side = 0; side < SIDE_MAX; side++)
			if (threads.before + threads.after == 0 && sides[side])
				threads.ran[side] = sides[side]->threads;
	} else {
		threads.after = alive(only);
		threads.born = only->born;
		threads.gone = only->ended;
		threads.before = only->threads - only->born;
	}
	return threads;
}

/* Returns the amount of the group, or the difference between the sides. A group that did not exist has 0. */
static double moved_by(const struct overview *overview, const struct overview_row *row,
                       unsigned aspect, const struct group *const sides[SIDE_MAX])
{
	const struct overview_value *values = row->values[aspect];

	if (aspect_table[aspect].kind == ASPECT_KIND_THREADS &&
	    (overview->kind == OVERVIEW_WINDOW || overview->kind == OVERVIEW_INTERVAL))
		return fabs((double)row->threads.born - (double)row->threads.gone);
	if (aspect_table[aspect].kind == ASPECT_KIND_THREADS && overview->kind == OVERVIEW_LIVES)
		return NAN;
	for (unsigned side = 0; side < overview->sides; side++)
		if (sides[side] && !values[side].seen)
			return NAN;
	return overview->sides == 1
	               ? values[SIDE_BASELINE].amount
	               : fabs(values[SIDE_CANDIDATE].amount - values[SIDE_BASELINE].amount);
}

static enum overview_mark mark_of(const struct overview *overview,
                                  const struct overview_threads *threads,
                                  const struct group *const sides[SIDE_MAX])
{
	if (overview_is_change(overview->kind))
		return !sides[SIDE_BASELINE]    ? OVERVIEW_NEW
		       : !sides[SIDE_CANDIDATE] ? OVERVIEW_GONE
		                                : OVERVIEW_STAYED;
	/* All work of a group without threads is of some that have exited. */
	if (sides[SIDE_BASELINE]->threads == 0)
		return OVERVIEW_STAYED;
	return threads->before == 0  ? OVERVIEW_NEW
	       : threads->after == 0 ? OVERVIEW_GONE
	                             : OVERVIEW_STAYED;
}

/* @packed are the groups that values are of. */
static void fill_row(struct building *building, const struct group *const packed[SIDE_MAX],
                     struct overview_row *row)
{
	const struct overview *overview = building->overview;
	const struct group *sides[SIDE_MAX] = {NULL};

	for (unsigned side = 0; side < overview->sides; side++)
		sides[side] = group_read(&building->readers[side], packed[side]);
	row->threads = threads_of(overview, sides);
	row->mark = mark_of(overview, &row->threads, sides);
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		for (unsigned side = 0; side < overview->sides; side++)
			row->values[a][side] = value_of(building, a, side, sides[side]);
		row->moved[a] = moved_by(overview, row, a, sides);
	}
}

/* Returns an estimate of the CPU use of a group that left without a record: its average over its life, but no more than all of
 * its CPU time within the window. Its use in the window is not known; this only ranks it among others like it. */
static double last_known_cpu(const struct building *building, const struct group *group)
{
	uint64_t length_ns = building->frames[SIDE_BASELINE]->length_ns;
	double run_ns = (double)group->lost_run_ns, of_life;

	if (length_ns == 0)
		return NAN;
	of_life = 100 * run_ns / (double)length_ns;
	if (group->lost_lived_ns == 0)
		return of_life;
	return fmin(of_life, 100 * run_ns * group->lost / (double)group->lost_lived_ns);
}

static double last_score(const struct building *building, const struct group *group)
{
	double moved[ASPECT_COUNT];

	for (unsigned a = 0; a < ASPECT_COUNT; a++)
		moved[a] = a == ASPECT_cpu ? last_known_cpu(building, group) : NAN;
	return overview_score(moved, &building->overview->scale);
}

/* Returns the groups that the amounts of a line are of. */
static const struct group *const *measured(const struct building *building,
                                           const struct row_group *group)
{
	return building->overview->kind == OVERVIEW_INTERVAL ? &group->interval : group->sides;
}

/* Returns whether the difference, or the part of it that threads without a value may have, could rank the group. */
static bool may_be_ranked(const struct overview *overview, const struct overview_row *row,
                          unsigned aspect)
{
	double moved[ASPECT_COUNT];

	for (unsigned a = 0; a < ASPECT_COUNT; a++)
		moved[a] = a == aspect ? fmax(row->moved[a], overview_unlike_part(row, a)) : NAN;
	return overview_score(moved, &overview->scale) >= overview->floor;
}

static bool is_unlike(const struct building *building, const struct overview_row *row,
                      unsigned aspect)
{
	const struct aspect_source *source = building->sources[aspect];
	const struct overview *overview = building->overview;

	if (!overview_is_change(overview->kind) || !source)
		return false;
	for (unsigned i = 0; i < source->count; i++)
		if (row_unread_may_have(building->set, row->group, source->metrics[i]))
			return true;
	/* The living are those at the ends of the windows. */
	if (aspect_table[aspect].kind == ASPECT_KIND_THREADS)
		return false;
	for (unsigned i = 0; overview->kind == OVERVIEW_CHANGE && i < source->count; i++)
		if (row_ends_differ(building->set, row->group, source->metrics[i]))
			return true;
	return overview_has_unlike_shares(row, aspect, overview->kind == OVERVIEW_CHANGE) &&
	       may_be_ranked(overview, row, aspect);
}

/* Two sides that lack unlike shares of the threads, or measure the ends of threads in two ways, have no difference. A
 * window without records of ends does not show that a group of short lives was not there. */
static void leave_out_unlike(const struct building *building, struct overview_row *row)
{
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		row->unlike[a] = is_unlike(building, row, a);
		if (row->unlike[a])
			row->moved[a] = NAN;
	}
	for (unsigned side = 0; side < building->overview->sides; side++)
		if (building->overview->kind == OVERVIEW_CHANGE &&
		    row_absence(building->set, row->group, side) == ABSENCE_UNKNOWN) {
			row->mark = OVERVIEW_STAYED;
			row->threads.born = row->threads.gone = 0;
		}
}

static void fill_group(struct building *building, struct overview_row *row)
{
	const struct group *const *sides = measured(building, row->group);

	fill_row(building, sides, row);
	leave_out_unlike(building, row);
	if (building->overview->sides == 1 && row->mark == OVERVIEW_GONE && sides[0]->lost > 0)
		row->last_score = last_score(building, sides[0]);
	row->score = overview_score(row->moved, &building->overview->scale);
}

/* The CPUs of the machine, or of the smaller one of two, in percent; 0 if those of a side are not known, as of several hosts. */
static double cpu_capacity(const struct building *building)
{
	uint64_t cpus = UINT64_MAX;

	for (unsigned side = 0; side < building->overview->sides; side++)
		if (building->frames[side]->online_cpus < cpus)
			cpus = building->frames[side]->online_cpus;
	return 100 * (double)cpus;
}

/* The host's totals, and what the machine can do, or the smaller one of two. */
static void set_scale(struct building *building)
{
	struct overview *overview = building->overview;
	struct overview_scale *scale = &overview->scale;
	bool lives = overview_is_of_lives(overview->kind);

	fill_row(building, building->totals, &overview->host);
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		if (aspect_table[a].capacity == ASPECT_CAPACITY_CPUS && !lives)
			scale->capacity[a] = cpu_capacity(building);
		for (unsigned side = 0; side < overview->sides; side++)
			scale->total[a] =
			        fmax(scale->total[a], overview->host.values[a][side].amount);
		/* A life has no length that would make a rate of it. */
		if (!lives && scale->total[a] < aspect_table[a].floor)
			scale->total[a] = 0;
	}
}

/* ctprof and its helper processes. */
static bool is_own(const struct row_set *set, const struct row_group *group)
{
	for (unsigned key = 0; key < set->by.count; key++)
		if ((set->by.keys[key] == GROUP_KEY_pcomm || set->by.keys[key] == GROUP_KEY_comm) &&
		    own_name_is(group->parts[key]))
			return true;
	return false;
}

/* Returns the score of complete values. A group that ended without a record has only the number of its threads, which counts as 0
 * below the floor. */
static double sure_score(const struct overview *overview, const struct overview_row *row)
{
	return row->last_score > 0 && row->score < overview->floor ? 0 : row->score;
}

static int by_score(const void *a, const void *b, void *context)
{
	const struct overview_row *row_a = a, *row_b = b;
	double sure_a = sure_score(context, a), sure_b = sure_score(context, b);

	if (sure_a < sure_b || sure_a > sure_b)
		return sure_a < sure_b ? 1 : -1;
	if (row_a->last_score < row_b->last_score || row_a->last_score > row_b->last_score)
		return row_a->last_score < row_b->last_score ? 1 : -1;
	return strcmp(row_a->group->label, row_b->group->label);
}

static void add_value(const struct overview_value *value, struct overview_value *sum)
{
	sum->seen = sum->seen || value->seen;
	sum->partial = sum->partial || value->partial;
	sum->amount += value->seen ? value->amount : 0;
}

/* Returns what two groups moved: what one did less and the other more is no change of both. */
static double moved_together(const struct overview *overview, const struct overview_row *sum,
                             const struct overview_row *row, unsigned aspect)
{
	const struct overview_value *values = sum->values[aspect];

	if (overview_is_change(overview->kind) && values[0].seen && values[1].seen)
		return fabs(values[1].amount - values[0].amount);
	if (isnan(sum->moved[aspect]) || isnan(row->moved[aspect]))
		return isnan(sum->moved[aspect]) ? row->moved[aspect] : sum->moved[aspect];
	return sum->moved[aspect] + row->moved[aspect];
}

/* Adds up ctprof's own groups, of which there are several: one for each name of its threads, or for each user. */
static void add_own(struct overview *overview, const struct overview_row *row)
{
	struct overview_row *own = overview->own;

	if (!own) {
		overview->own = mem_calloc(1, sizeof(*overview->own));
		*overview->own = *row;
		return;
	}
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		for (unsigned side = 0; side < overview->sides; side++)
			add_value(&row->values[a][side], &own->values[a][side]);
		own->moved[a] = moved_together(overview, own, row, a);
	}
	own->score = overview_score(own->moved, &overview->scale);
}

static bool is_measured(const struct overview_row *row)
{
	for (unsigned a = 0; a < ASPECT_COUNT; a++)
		if (aspect_table[a].kind != ASPECT_KIND_THREADS && !isnan(row->moved[a]))
			return true;
	return row->last_score > 0;
}

static void add_noise(struct overview *overview, const struct overview_row *row)
{
	if (is_measured(row))
		overview->noise++;
	else
		overview->unmeasured[overview->unmeasured_count++] = row->group;
	if ((overview->kind == OVERVIEW_INTERVAL || overview->kind == OVERVIEW_WINDOW) &&
	    row->mark != OVERVIEW_STAYED)
		overview->quiet[overview->quiet_count++] = *row;
}

static void add_unlike(struct overview *overview, const struct overview_row *row)
{
	double apart[ASPECT_COUNT];

	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		const struct overview_value *values = row->values[a];

		apart[a] = fabs((values[0].seen ? values[0].amount : 0) -
		                (values[1].seen ? values[1].amount : 0));
	}
	overview->unlike[overview->unlike_count++] =
	        (struct overview_unlike){row->group, overview_score(apart, &overview->scale)};
}

static void add_row(struct building *building, const struct row_group *group, bool with_own)
{
	struct overview *overview = building->overview;
	struct overview_row *row = &overview->rows[overview->count];
	bool unlike = false, is_ranked;

	*row = (struct overview_row){.group = group};
	fill_group(building, row);
	is_ranked = fmax(row->score, row->last_score) >= overview->floor;
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		unlike = unlike || row->unlike[a] ||
		         (!is_ranked && overview_lacks_work(row, a, building->sources[a]));
		for (unsigned side = 0; side < overview->sides; side++)
			overview->seen[a] = overview->seen[a] || row->values[a][side].seen;
	}
	if (unlike)
		add_unlike(overview, row);
	if (!with_own && is_own(building->set, group))
		add_own(overview, row);
	else if (is_ranked)
		overview->count++;
	else if (!unlike)
		add_noise(overview, row);
}

/* Only the scores compare these with each other: what they did on the other side is unknown. */
static void add_apart(struct building *building, unsigned side)
{
	struct overview *overview = building->overview;
	size_t count = building->set->unmatched_count[side];

	overview->apart[side] = mem_calloc(count + 1, sizeof(overview->apart[side][0]));
	for (size_t i = 0; i < count; i++) {
		struct overview_row *row = &overview->apart[side][overview->apart_count[side]++];

		row->group = &building->set->unmatched[side][i];
		fill_group(building, row);
	}
	qsort_r(overview->apart[side], count, sizeof(overview->apart[side][0]), by_score, overview);
}

static double sort_amount(const struct overview *overview, const struct overview_row *row)
{
	unsigned aspect = overview->sorted_by;

	if (aspect_table[aspect].kind == ASPECT_KIND_THREADS && overview->kind == OVERVIEW_LIVES)
		return row->values[aspect][SIDE_BASELINE].amount;
	return row->moved[aspect];
}

static int by_aspect(const void *a, const void *b, void *context)
{
	const struct overview *overview = context;
	double amount_a = sort_amount(overview, a), amount_b = sort_amount(overview, b);

	if (isnan(amount_a) != isnan(amount_b))
		return isnan(amount_a) ? 1 : -1;
	if (amount_a < amount_b)
		return overview->ascending ? -1 : 1;
	if (amount_a > amount_b)
		return overview->ascending ? 1 : -1;
	return by_score(a, b, context);
}

static void sort_rows(struct overview *overview)
{
	qsort_r(overview->rows, overview->count, sizeof(overview->rows[0]),
	        overview->sorted_by < ASPECT_COUNT ? by_aspect : by_score, overview);
}

void overview_init(struct overview *overview, const struct row_set *set, bool with_own,
                   unsigned aspect, bool ascending)
{
	struct building building = {.overview = overview,
	                            .set = set,
	                            .frames = {&set->frames[0], &set->frames[1]},
	                            .rate_lists = {set->rate_lists[0], set->rate_lists[1]},
	                            .totals = {set->totals[0], set->totals[1]}};

	*overview = (struct overview){.kind = overview_kind_of(set),
	                              .sides = set->sides,
	                              .sorted_by = aspect,
	                              .ascending = ascending};
	if (overview->kind == OVERVIEW_INTERVAL) {
		overview->sides = 1;
		building.frames[0] = &set->interval_frame;
		building.rate_lists[0] = set->interval_rates;
		building.totals[0] = set->interval_total;
	}
	overview->floor = aspect < ASPECT_COUNT                ? 0
	                  : overview_is_change(overview->kind) ? aspect_floor_change
	                                                       : aspect_floor_amount;
	choose_sources(&building);
	set_scale(&building);
	overview->rows = mem_calloc(set->group_count + 1, sizeof(overview->rows[0]));
	overview->quiet = mem_calloc(set->group_count + 1, sizeof(overview->quiet[0]));
	overview->unlike = mem_calloc(set->group_count + 1, sizeof(overview->unlike[0]));
	overview->unmeasured = mem_calloc(set->group_count + 1, sizeof(overview->unmeasured[0]));
	/* Between two snapshots, the threads of a group without a window go on under other names. */
	for (size_t i = 0; i < set->group_count; i++)
		if (!set->groups[i].exited &&
		    (overview->kind != OVERVIEW_INTERVAL || set->groups[i].interval))
			add_row(&building, &set->groups[i], with_own);
	sort_rows(overview);
	qsort_r(overview->quiet, overview->quiet_count, sizeof(overview->quiet[0]), by_score,
	        overview);
	overview_unlike_sort(overview);
	for (unsigned side = 0; side < overview->sides; side++) {
		add_apart(&building, side);
		group_reader_done(&building.readers[side]);
	}
}

void overview_done(struct overview *overview)
{
	free(overview->rows);
	free(overview->own);
	free(overview->quiet);
	free(overview->unlike);
	free(overview->unmeasured);
	for (unsigned side = 0; side < SIDE_MAX; side++)
		free(overview->apart[side]);
	*overview = (struct overview){0};
}
