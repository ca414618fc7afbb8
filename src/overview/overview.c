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

	if (set->sides == SIDE_MAX)
		return window ? OVERVIEW_CHANGE : OVERVIEW_LIVES_CHANGE;
	return window ? OVERVIEW_WINDOW : OVERVIEW_LIVES;
}

static bool source_is_seen(const struct building *building, const struct aspect_source *source)
{
	for (unsigned side = 0; side < building->overview->sides; side++)
		for (unsigned i = 0; i < source->count; i++)
			if (group_number(building->set->totals[side], source->metrics[i]).seen == 0)
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
	const struct derive_frame *frame = &building->set->frames[side];
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

/* Threads alive at the end; where none is, those that were there meanwhile. */
static uint32_t present(const struct group *group)
{
	return group->threads > group->ended ? group->threads - group->ended : group->threads;
}

static struct overview_threads threads_of(const struct overview *overview,
                                          const struct group *const sides[SIDE_MAX])
{
	const struct group *only = sides[SIDE_BASELINE];
	struct overview_threads threads = {0};

	if (overview_is_change(overview->kind)) {
		for (unsigned side = 0; side < SIDE_MAX; side++)
			if (sides[side])
				*(side == SIDE_BASELINE ? &threads.before : &threads.after) =
				        present(sides[side]);
	} else {
		threads.after = only->threads - only->ended;
		threads.born = only->born;
		threads.gone = only->ended;
		threads.before = only->threads - only->born;
	}
	return threads;
}

/* What the group moved: the amount, or the difference between the sides. A group that was not there did nothing. */
static double moved_by(const struct overview *overview, const struct overview_row *row,
                       unsigned aspect, const struct group *const sides[SIDE_MAX])
{
	const struct overview_value *values = row->values[aspect];

	if (aspect_table[aspect].kind == ASPECT_KIND_THREADS && overview->kind == OVERVIEW_WINDOW)
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
	return threads->before == 0  ? OVERVIEW_NEW
	       : threads->after == 0 ? OVERVIEW_GONE
	                             : OVERVIEW_STAYED;
}

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

/* The host's totals, and what the machine can do. */
static void set_scale(struct building *building)
{
	struct overview *overview = building->overview;
	const struct row_set *set = building->set;
	struct overview_scale *scale = &overview->scale;
	const struct group *totals[SIDE_MAX] = {set->totals[0], set->totals[1]};
	bool lives = overview_is_of_lives(overview->kind);

	fill_row(building, totals, &overview->host);
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		for (unsigned side = 0; side < overview->sides; side++) {
			if (aspect_table[a].capacity == ASPECT_CAPACITY_CPUS && !lives)
				scale->capacity[a] =
				        fmax(scale->capacity[a],
				             100 * (double)set->frames[side].online_cpus);
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

static void add_row(struct building *building, const struct row_group *group, bool with_own)
{
	struct overview *overview = building->overview;
	struct overview_row *row = &overview->rows[overview->count];

	*row = (struct overview_row){.group = group};
	fill_row(building, group->sides, row);
	row->score = overview_score(row->moved, &overview->scale);
	for (unsigned a = 0; a < ASPECT_COUNT; a++)
		for (unsigned side = 0; side < overview->sides; side++)
			overview->seen[a] = overview->seen[a] || row->values[a][side].seen;
	if (!with_own && is_own(building->set, group))
		keep_own(overview, row);
	else if (row->score < overview->floor)
		overview->noise++;
	else
		overview->count++;
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
		fill_row(building, row->group->sides, row);
		row->score = overview_score(row->moved, &overview->scale);
	}
	qsort(overview->apart[side], count, sizeof(overview->apart[side][0]), by_score);
}

void overview_init(struct overview *overview, const struct row_set *set, bool with_own)
{
	struct building building = {.overview = overview, .set = set};

	*overview = (struct overview){.kind = kind_of(set), .sides = set->sides};
	overview->floor =
	        overview_is_change(overview->kind) ? aspect_floor_change : aspect_floor_amount;
	choose_sources(&building);
	set_scale(&building);
	overview->rows = mem_calloc(set->group_count + 1, sizeof(overview->rows[0]));
	for (size_t i = 0; i < set->group_count; i++)
		if (!set->groups[i].exited)
			add_row(&building, &set->groups[i], with_own);
	qsort(overview->rows, overview->count, sizeof(overview->rows[0]), by_score);
	for (unsigned side = 0; side < overview->sides; side++) {
		add_apart(&building, side);
		group_reader_done(&building.readers[side]);
	}
}

void overview_done(struct overview *overview)
{
	free(overview->rows);
	free(overview->own);
	for (unsigned side = 0; side < SIDE_MAX; side++)
		free(overview->apart[side]);
	*overview = (struct overview){0};
}
