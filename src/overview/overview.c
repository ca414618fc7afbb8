// SPDX-License-Identifier: GPL-2.0-or-later
#include "overview/overview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "measure/measure.h"

static const char own_name[] = "ctprof", helper_prefix[] = "ctprof-";

struct building {
	struct overview *overview;
	const struct row_set *set;
	/* Of the values: the sides', or those of the window between them. */
	const struct derive_frame *frames[SIDE_MAX];
	const struct group *totals[SIDE_MAX];
	const struct aspect_source *sources[ASPECT_COUNT]; /* NULL: no snapshot has the aspect */
	struct group_reader readers[SIDE_MAX];
};

double overview_score(const double moved[ASPECT_COUNT], const struct overview_scale *scale)
{
	double score = 0;

	for (unsigned i = 0; i < ASPECT_COUNT; i++) {
		double share = 0;

		if (scale->capacity[i] > 0)
			share = moved[i] / scale->capacity[i];
		/* fmax() takes a number before NaN. */
		if (scale->total[i] > 0)
			share = fmax(share, moved[i] / scale->total[i]);
		score = fmax(score, aspect_table[i].weight * share);
	}
	return score;
}

static enum overview_kind kind_of(const struct row_set *set)
{
	bool window = set->frames[SIDE_BASELINE].kind == KIND_window;

	if (set->interval_total)
		return OVERVIEW_INTERVAL;
	if (set->sides == SIDE_MAX)
		return window ? OVERVIEW_CHANGE : OVERVIEW_LIVES_CHANGE;
	return window ? OVERVIEW_WINDOW : OVERVIEW_LIVES;
}

static bool source_is_seen(const struct building *building, const struct aspect_source *source)
{
	for (unsigned side = 0; side < building->overview->sides; side++)
		for (unsigned i = 0; i < source->count; i++)
			if (group_number(building->totals[side], source->metrics[i]).seen == 0)
				return false;
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

/* The sum in the metric's unit, ticks as nanoseconds. Of a wait that began before the window only the part inside counts. */
static double number_of(const struct group *group, enum metric_id metric,
                        const struct derive_frame *frame)
{
	double number = (double)group->cells[metric].number;

	if (group->before)
		number -= (double)group->before[metric].beyond_ns;
	if (measure_unit(metric) != UNIT_ticks)
		return number;
	return frame->clock_ticks_per_second > 0
	               ? number * NS_PER_SECOND / (double)frame->clock_ticks_per_second
	               : 0;
}

/* From an amount of the window to the unit of the column. */
static double scaled(enum aspect_kind kind, double number, const struct derive_frame *frame)
{
	double length_ns = (double)frame->length_ns;

	switch (kind) {
	case ASPECT_KIND_TIME:
		return 100 * number / length_ns;
	case ASPECT_KIND_COUNT:
	case ASPECT_KIND_BYTES:
		return number * NS_PER_SECOND / length_ns;
	case ASPECT_KIND_PEAK:
	case ASPECT_KIND_THREADS:
		break;
	}
	return number;
}

static struct overview_value value_of(const struct building *building, unsigned aspect,
                                      unsigned side, const struct group *group)
{
	const struct derive_frame *frame = building->frames[side];
	const struct aspect_source *source = building->sources[aspect];
	enum aspect_kind kind = aspect_table[aspect].kind;
	struct overview_value value = {0};

	if (!group || !source)
		return value;
	if (kind == ASPECT_KIND_THREADS)
		return (struct overview_value){.seen = true,
		                               .amount = group->threads - group->ended};
	for (unsigned i = 0; i < source->count; i++) {
		enum metric_id metric = source->metrics[i];
		uint32_t seen = group->cells[metric].seen;

		value.seen = value.seen || seen > 0;
		value.partial = value.partial || (kind != ASPECT_KIND_PEAK &&
		                                  seen < group_threads_for(group, metric));
		value.amount += seen > 0 ? number_of(group, metric, frame) : 0;
	}
	if (overview_is_of_lives(building->overview->kind))
		return value;
	if (frame->length_ns == 0)
		return (struct overview_value){0};
	value.amount = scaled(kind, value.amount, frame);
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
		/* Of a group of one side, all that were there count. */
		if (!sides[SIDE_BASELINE])
			threads.born = sides[SIDE_CANDIDATE]->threads;
		else if (!sides[SIDE_CANDIDATE])
			threads.gone = sides[SIDE_BASELINE]->threads;
	} else {
		threads.after = alive(only);
		threads.born = only->born;
		threads.gone = only->ended;
		threads.before = only->threads - only->born;
	}
	return threads;
}

/* Threads of the two snapshots that an interval is between. Those that changed their name or cgroup count as born and gone. */
static struct overview_threads
threads_between(const struct group *before, const struct group *after, const struct group *interval)
{
	struct overview_threads threads = {.before = before ? before->threads : 0,
	                                   .after = after ? after->threads : 0};
	uint32_t born = interval ? interval->born : 0;
	uint32_t stayed = threads.after > born ? threads.after - born : 0;

	if (stayed > threads.before)
		stayed = threads.before;
	threads.born = threads.after - stayed;
	threads.gone = threads.before - stayed;
	return threads;
}

/* What the group moved: the amount, or the difference between the sides. A group that was not there did nothing. */
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
	if (overview->kind == OVERVIEW_INTERVAL && !sides[SIDE_BASELINE])
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
	return threads->before == 0  ? OVERVIEW_NEW
	       : threads->after == 0 ? OVERVIEW_GONE
	                             : OVERVIEW_STAYED;
}

/* @packed are the groups that values are of. Between two snapshots the caller has filled in the threads. */
static void fill_row(struct building *building, const struct group *const packed[SIDE_MAX],
                     struct overview_row *row)
{
	const struct overview *overview = building->overview;
	const struct group *sides[SIDE_MAX] = {NULL};

	for (unsigned side = 0; side < overview->sides; side++)
		sides[side] = group_read(&building->readers[side], packed[side]);
	if (overview->kind != OVERVIEW_INTERVAL)
		row->threads = threads_of(overview, sides);
	row->mark = mark_of(overview, &row->threads, sides);
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		for (unsigned side = 0; side < overview->sides; side++)
			row->values[a][side] = value_of(building, a, side, sides[side]);
		row->moved[a] = moved_by(overview, row, a, sides);
	}
}

/* The CPU time of a group that left without a record: what it used on average in its life, but no more than all that it used
 * in its life, as if it had been used in the interval. Nobody knows what it did there; this only ranks it. */
static double last_known_cpu(const struct building *building, const struct group *group)
{
	struct fold_cell run = group_number(group, METRIC_run_time_ns);
	struct fold_cell lived = group_number(group, METRIC_lived_ns);
	uint64_t length_ns = building->set->interval_frame.length_ns;
	double of_life;

	if (run.seen == 0 || length_ns == 0)
		return NAN;
	of_life = 100 * (double)run.number / (double)length_ns;
	if (lived.seen == 0 || lived.number == 0)
		return of_life;
	return fmin(of_life, 100 * (double)run.number * group->threads / (double)lived.number);
}

static void fill_group(struct building *building, struct overview_row *row)
{
	const struct row_group *group = row->group;
	const struct group *interval[SIDE_MAX] = {group->interval};

	if (building->overview->kind != OVERVIEW_INTERVAL) {
		fill_row(building, group->sides, row);
	} else {
		row->threads = threads_between(group->sides[SIDE_BASELINE],
		                               group->sides[SIDE_CANDIDATE], group->interval);
		fill_row(building, interval, row);
		if (!group->sides[SIDE_CANDIDATE])
			row->moved[ASPECT_cpu] =
			        last_known_cpu(building, group->sides[SIDE_BASELINE]);
	}
	row->score = overview_score(row->moved, &building->overview->scale);
}

/* The host's totals, and what the machine can do. */
static void set_scale(struct building *building)
{
	struct overview *overview = building->overview;
	const struct row_set *set = building->set;
	struct overview_scale *scale = &overview->scale;
	bool lives = overview_is_of_lives(overview->kind);

	if (overview->kind == OVERVIEW_INTERVAL)
		overview->host.threads =
		        threads_between(set->totals[SIDE_BASELINE], set->totals[SIDE_CANDIDATE],
		                        set->interval_total);
	fill_row(building, building->totals, &overview->host);
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		for (unsigned side = 0; side < overview->sides; side++) {
			if (aspect_table[a].capacity == ASPECT_CAPACITY_CPUS && !lives)
				scale->capacity[a] =
				        fmax(scale->capacity[a],
				             100 * (double)building->frames[side]->online_cpus);
			scale->total[a] =
			        fmax(scale->total[a], overview->host.values[a][side].amount);
		}
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
		    (strcmp(group->parts[key], own_name) == 0 ||
		     strncmp(group->parts[key], helper_prefix, strlen(helper_prefix)) == 0))
			return true;
	return false;
}

static int by_score(const void *a, const void *b)
{
	const struct overview_row *row_a = a, *row_b = b;

	if (row_a->score < row_b->score)
		return 1;
	return row_a->score > row_b->score ? -1 : strcmp(row_a->group->label, row_b->group->label);
}

/* Where several groups are ctprof's own, such as one for each user, the largest one stands for them. */
static void keep_own(struct overview *overview, const struct overview_row *row)
{
	if (!overview->own)
		overview->own = mem_calloc(1, sizeof(*overview->own));
	if (!overview->own->group || overview->own->score < row->score)
		*overview->own = *row;
}

static void add_noise(struct overview *overview, const struct overview_row *row)
{
	overview->noise++;
	if (overview->kind == OVERVIEW_INTERVAL && row->mark != OVERVIEW_STAYED)
		overview->quiet[overview->quiet_count++] = *row;
}

static void add_row(struct building *building, const struct row_group *group, bool with_own)
{
	struct overview *overview = building->overview;
	struct overview_row *row = &overview->rows[overview->count];

	*row = (struct overview_row){.group = group};
	fill_group(building, row);
	for (unsigned a = 0; a < ASPECT_COUNT; a++)
		for (unsigned side = 0; side < overview->sides; side++)
			overview->seen[a] = overview->seen[a] || row->values[a][side].seen;
	if (!with_own && is_own(building->set, group))
		keep_own(overview, row);
	else if (row->score >= overview->floor)
		overview->count++;
	else
		add_noise(overview, row);
}

/* Only the scores compare these with each other: nobody knows what they did on the other side. */
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
	qsort(overview->apart[side], count, sizeof(overview->apart[side][0]), by_score);
}

void overview_init(struct overview *overview, const struct row_set *set, bool with_own)
{
	struct building building = {.overview = overview,
	                            .set = set,
	                            .frames = {&set->frames[0], &set->frames[1]},
	                            .totals = {set->totals[0], set->totals[1]}};

	*overview = (struct overview){.kind = kind_of(set), .sides = set->sides};
	if (overview->kind == OVERVIEW_INTERVAL) {
		overview->sides = 1;
		building.frames[0] = &set->interval_frame;
		building.totals[0] = set->interval_total;
	}
	overview->floor =
	        overview_is_change(overview->kind) ? aspect_floor_change : aspect_floor_amount;
	choose_sources(&building);
	set_scale(&building);
	overview->rows = mem_calloc(set->group_count + 1, sizeof(overview->rows[0]));
	overview->quiet = mem_calloc(set->group_count + 1, sizeof(overview->quiet[0]));
	for (size_t i = 0; i < set->group_count; i++)
		if (!set->groups[i].exited)
			add_row(&building, &set->groups[i], with_own);
	qsort(overview->rows, overview->count, sizeof(overview->rows[0]), by_score);
	qsort(overview->quiet, overview->quiet_count, sizeof(overview->quiet[0]), by_score);
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
	for (unsigned side = 0; side < SIDE_MAX; side++)
		free(overview->apart[side]);
	*overview = (struct overview){0};
}
