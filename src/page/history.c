// SPDX-License-Identifier: GPL-2.0-or-later
#include "page/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* One column weighs as much as a tenth of the time. */
static const double weight_of_peak = 0.1;

/* A group has the same patterns in all columns. Its label in one of them may be its only name there. */
static const char *key_of(const struct row_group *group)
{
	return group->pattern ? group->pattern : group->label;
}

static struct history_group *group_of(struct history *history, const struct row_group *row)
{
	const char *key = key_of(row);
	struct strmap_entry *entry = strmap_add(&history->places, key, strlen(key));
	size_t place = (size_t)(entry - history->places.entries);

	if (place == history->group_count)
		*array_add(history->groups, history->group_count, history->group_capacity) =
		        (struct history_group){.label = mem_copy_text(row->label)};
	return &history->groups[place];
}

/* Returns whether it did anything, or may have. */
static bool is_busy(const struct history *history, const struct overview_row *row)
{
	if (row->score > 0)
		return true;
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		const struct overview_value *value = &row->values[a][0];

		if (aspect_table[a].kind == ASPECT_KIND_THREADS || !history->seen[a])
			continue;
		if (value->seen ? value->amount > 0 || value->partial
		                : aspect_table[a].kind != ASPECT_KIND_PEAK &&
		                          (row->threads.after > 0 || row->threads.gone > 0))
			return true;
	}
	return false;
}

static uint8_t marks_of(const struct overview_value *value)
{
	if (!value->seen)
		return 0;
	return (uint8_t)((value->partial ? HISTORY_PARTIAL : 0) |
	                 (value->began_before ? HISTORY_BEGAN_BEFORE : 0));
}

/* Returns what holds in a column: the last change, unless a column since has seen all threads. */
static struct history_idle idle_at(const struct history *history, const struct history_group *group,
                                   size_t column)
{
	size_t last = group->idle_count;

	while (last > 0 && group->idle[last - 1].column > column)
		last--;
	if (last == 0 || group->idle[last - 1].column < history->columns[column].idle_since)
		return (struct history_idle){0};
	return group->idle[last - 1];
}

/* Threads that ended may be those without a value, and do so once. */
static bool lacks_living(const struct overview_row *row, unsigned aspect)
{
	return aspect_table[aspect].kind != ASPECT_KIND_PEAK &&
	       row->values[aspect][0].lacking > row->threads.gone;
}

/* Returns what is known behind a column. Marks of living threads add up until a column has all threads: which of them
 * lacked a value before is unknown. A group without living threads has no marks. */
static struct history_idle idle_behind(const struct history *history,
                                       const struct overview_row *row, struct history_idle idle)
{
	if (idle.living <= 0)
		return (struct history_idle){0};
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		if (!history->seen[a] || !lacks_living(row, a))
			continue;
		if (row->values[a][0].seen)
			idle.partial |= UINT32_C(1) << a;
		else
			idle.unseen |= UINT32_C(1) << a;
	}
	return idle;
}

/* Does so for a group that has a cell in some column. */
static void note_idle(struct history *history, const struct overview_row *row, uint32_t column)
{
	const char *key = key_of(row->group);
	struct history_group *group;
	struct history_idle before, idle;
	uint32_t place;

	if (!strmap_find(&history->places, key, strlen(key), &place))
		return;
	group = &history->groups[place];
	before = idle = idle_at(history, group, column);
	idle.living +=
	        (int64_t)row->threads.after -
	        (history->columns[column].has_idle || group->idle_count == 0 ? 0
	                                                                     : row->threads.before);
	idle = idle_behind(history, row, idle);
	history->idle_partial |= idle.unseen | idle.partial;
	if (idle.unseen == before.unseen && idle.partial == before.partial &&
	    idle.living == before.living)
		return;
	idle.column = column;
	*array_add(group->idle, group->idle_count, group->idle_capacity) = idle;
}

static void add_cell(struct history *history, const struct overview_row *row, uint32_t column)
{
	struct history_group *group = group_of(history, row->group);
	struct history_cell *cell = array_add(group->cells, group->count, group->capacity);

	*cell = (struct history_cell){.column = column, .score = (float)row->score};
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		const struct overview_value *value = &row->values[a][0];

		cell->amounts[a] = value->seen ? value->amount : NAN;
		cell->marks[a] = marks_of(value);
	}
}

static int by_score(const void *a_ptr, const void *b_ptr)
{
	const struct overview_row *const *a = a_ptr, *const *b = b_ptr;

	if ((*a)->score != (*b)->score)
		return (*a)->score > (*b)->score ? -1 : 1;
	return strcmp((*a)->group->label, (*b)->group->label);
}

static void add_groups(struct history *history, const struct overview *overview)
{
	uint32_t column = (uint32_t)history->column_count - 1;
	const struct overview_row **rows = mem_calloc(overview->count + 1, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < overview->count; i++)
		if (is_busy(history, &overview->rows[i]))
			rows[count++] = &overview->rows[i];
	qsort(rows, count, sizeof(*rows), by_score);
	for (size_t i = 0; i < count && i < HISTORY_CELLS; i++)
		add_cell(history, rows[i], column);
	history->cut += count > HISTORY_CELLS ? count - HISTORY_CELLS : 0;
	for (size_t i = 0; i < overview->count; i++)
		note_idle(history, &overview->rows[i], column);
	free(rows);
}

/* The host did nothing of an aspect of which it had values before. */
static void add_idle_to_host(const struct history *history, struct history_column *column)
{
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		column->host[a].seen =
		        column->host[a].seen ||
		        (history->seen[a] && aspect_table[a].kind != ASPECT_KIND_PEAK);
		column->host[a].partial =
		        column->host[a].partial || (history->idle_partial >> a & 1);
	}
}

void history_add(struct history *history, const struct history_column *column,
                 const struct overview *overview)
{
	struct history_column *kept =
	        array_add(history->columns, history->column_count, history->column_capacity);

	*kept = *column;
	kept->idle_since = history->column_count > 1 ? kept[-1].idle_since : 0;
	if (column->has_idle) {
		kept->idle_since = (uint32_t)history->column_count - 1;
		history->idle_partial = 0;
	}
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		kept->host[a] = overview->host.values[a][0];
		history->seen[a] = history->seen[a] || overview->seen[a];
		history->capacity[a] = fmax(history->capacity[a], overview->scale.capacity[a]);
	}
	add_groups(history, overview);
	if (!column->has_idle)
		add_idle_to_host(history, kept);
}

static void copy_amounts(const struct overview_row *row, double ret[ASPECT_COUNT],
                         uint8_t ret_marks[ASPECT_COUNT])
{
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		const struct overview_value *value = &row->values[a][0];

		ret[a] = value->seen ? value->amount : NAN;
		ret_marks[a] = marks_of(value);
	}
}

void history_set_means(struct history *history, const struct overview *overview)
{
	for (size_t i = 0; i < overview->count; i++) {
		const struct overview_row *row = &overview->rows[i];
		const char *key = key_of(row->group), *label = row->group->label;
		struct history_group *group;
		uint32_t place;

		if (!strmap_find(&history->places, key, strlen(key), &place))
			continue;
		group = &history->groups[place];
		free(group->label);
		group->label = mem_copy_text(label);
		group->has_means = true;
		copy_amounts(row, group->means, group->means_marks);
	}
	history->has_means = true;
	copy_amounts(&overview->host, history->means, history->means_marks);
}

static int by_rank(const void *a_ptr, const void *b_ptr)
{
	const struct history_group *a = a_ptr, *b = b_ptr;

	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return strcmp(a->label, b->label);
}

void history_finish(struct history *history)
{
	double length = 0;

	for (size_t i = 0; i < history->column_count; i++)
		length += (double)history->columns[i].length_ns;
	for (size_t i = 0; i < history->group_count; i++) {
		struct history_group *group = &history->groups[i];
		double most = 0, sum = 0;

		for (size_t k = 0; k < group->count; k++) {
			const struct history_cell *cell = &group->cells[k];

			most = fmax(most, cell->score);
			sum += cell->score * (double)history->columns[cell->column].length_ns;
		}
		group->rank = (length > 0 ? sum / length : 0) + weight_of_peak * most;
	}
	if (history->group_count > 0)
		qsort(history->groups, history->group_count, sizeof(history->groups[0]), by_rank);
}

void history_done(struct history *history)
{
	for (size_t i = 0; i < history->group_count; i++) {
		free(history->groups[i].label);
		free(history->groups[i].cells);
		free(history->groups[i].idle);
	}
	free(history->groups);
	free(history->columns);
	strmap_done(&history->places);
	*history = (struct history){0};
}

void history_amounts(const struct history *history, size_t group, unsigned aspect, double *ret)
{
	const struct history_group *of = &history->groups[group];

	for (size_t i = 0; i < history->column_count; i++)
		ret[i] = idle_at(history, of, i).unseen >> aspect & 1 ? NAN : 0;
	for (size_t i = 0; i < of->count; i++)
		ret[of->cells[i].column] = of->cells[i].amounts[aspect];
}

unsigned history_marks(const struct history *history, size_t group, unsigned aspect, size_t column)
{
	const struct history_group *of = &history->groups[group];
	struct history_idle idle = idle_at(history, of, column);
	unsigned unseen = idle.unseen >> aspect & 1, partial = idle.partial >> aspect & 1;

	for (size_t i = 0; i < of->count; i++) {
		const struct history_cell *cell = &of->cells[i];

		if (cell->column == column)
			return isnan(cell->amounts[aspect])
			               ? 0
			               : cell->marks[aspect] |
			                         (unseen | partial ? HISTORY_PARTIAL : 0);
	}
	return partial && !unseen ? HISTORY_PARTIAL : 0;
}

unsigned history_host_marks(const struct history *history, unsigned aspect, size_t column)
{
	return marks_of(&history->columns[column].host[aspect]);
}

void history_rest(const struct history *history, size_t first, unsigned aspect, double *ret)
{
	double *amounts = mem_calloc(history->column_count + 1, sizeof(amounts[0]));

	for (size_t i = 0; i < history->column_count; i++) {
		const struct overview_value *host = &history->columns[i].host[aspect];

		ret[i] = host->seen ? host->amount : NAN;
	}
	for (size_t group = 0; group < first && group < history->group_count; group++) {
		history_amounts(history, group, aspect, amounts);
		for (size_t i = 0; i < history->column_count; i++)
			ret[i] -= isnan(amounts[i]) ? 0 : amounts[i];
	}
	/* Rounding leaves some: cells have seven digits. */
	for (size_t i = 0; i < history->column_count; i++)
		if (ret[i] < 1e-5 * history->columns[i].host[aspect].amount)
			ret[i] = 0;
	free(amounts);
}

static int by_number(const void *a_ptr, const void *b_ptr)
{
	const uint64_t *a = a_ptr, *b = b_ptr;

	return (*a > *b) - (*a < *b);
}

/* The middle one of the distances between ends. */
static uint64_t usual_distance(const uint64_t *ends_ns, size_t count)
{
	uint64_t *distances = mem_calloc(count + 1, sizeof(distances[0])), usual = 0;

	for (size_t i = 1; i < count; i++)
		distances[i - 1] = ends_ns[i] > ends_ns[i - 1] ? ends_ns[i] - ends_ns[i - 1] : 0;
	if (count > 1) {
		qsort(distances, count - 1, sizeof(distances[0]), by_number);
		usual = distances[(count - 1) / 2];
	}
	free(distances);
	return usual;
}

/* Windows may be late by half of their length. A clock that was set back is a gap as well. */
static bool is_gap(uint64_t before_ns, uint64_t end_ns, uint64_t usual_ns)
{
	return end_ns < before_ns || end_ns - before_ns > usual_ns + usual_ns / 2;
}

bool *history_columns_of(const uint64_t *ends_ns, size_t count)
{
	bool *begins = mem_calloc(count + 1, sizeof(begins[0]));
	size_t each = (count + HISTORY_COLUMNS - 1) / HISTORY_COLUMNS, gaps = 0, in_column = 0;
	uint64_t usual_ns = usual_distance(ends_ns, count);

	for (size_t i = 1; i < count; i++)
		gaps += is_gap(ends_ns[i - 1], ends_ns[i], usual_ns);
	for (size_t i = 0; i < count; i++) {
		begins[i] = i == 0 || in_column == each ||
		            (gaps <= HISTORY_COLUMNS / 2 &&
		             is_gap(ends_ns[i - 1], ends_ns[i], usual_ns));
		in_column = begins[i] ? 1 : in_column + 1;
	}
	return begins;
}
