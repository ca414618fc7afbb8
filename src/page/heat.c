// SPDX-License-Identifier: GPL-2.0-or-later
#include "heat.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

const enum aspect_id heat_aspects[HEAT_ASPECTS] = {ASPECT_cpu, ASPECT_wait, ASPECT_blocked,
                                                   ASPECT_read, ASPECT_write};

struct extent extent_of(const struct history *history, const double *values)
{
	struct extent extent = {.mean = NAN, .most = NAN};
	double length = 0, sum = 0;

	for (size_t i = 0; i < history->column_count; i++) {
		double weight = (double)history->columns[i].length_ns;

		if (isnan(values[i]))
			continue;
		sum += values[i] * weight;
		length += weight;
		if (isnan(extent.most) || values[i] > extent.most) {
			extent.most = values[i];
			extent.at = i;
		}
	}
	if (length > 0)
		extent.mean = sum / length;
	return extent;
}

void extent_mark_zero(struct extent *extent, size_t column)
{
	if (extent->most != 0 || (extent->most_marks & HISTORY_PARTIAL))
		return;
	extent->at = column;
	extent->most_marks |= HISTORY_PARTIAL;
}

const char heat_others[] = "(all other groups)";

const char *heat_name(const struct heat *heat, size_t row)
{
	return row < heat->groups ? heat->history->groups[row].label : heat_others;
}

void heat_init(const struct history *history, unsigned aspect, struct heat *ret)
{
	size_t groups =
	        history->group_count < HISTORY_GROUPS ? history->group_count : HISTORY_GROUPS;

	*ret = (struct heat){.history = history,
	                     .aspect = aspect,
	                     .groups = groups,
	                     .values = mem_calloc(groups + 1, sizeof(ret->values[0]))};
	for (size_t row = 0; row <= groups; row++) {
		double most;

		ret->values[row] = mem_calloc(history->column_count + 1, sizeof(double));
		if (row < groups)
			history_amounts(history, row, aspect, ret->values[row]);
		else
			history_rest(history, groups, aspect, ret->values[row]);
		most = extent_of(history, ret->values[row]).most;
		if (most > ret->largest)
			ret->largest = most;
	}
}

void heat_done(struct heat *heat)
{
	for (size_t row = 0; row <= heat->groups; row++)
		free(heat->values[row]);
	free(heat->values);
}

unsigned heat_marks(const struct heat *heat, size_t row, size_t column)
{
	return row < heat->groups ? history_marks(heat->history, row, heat->aspect, column)
	                          : history_host_marks(heat->history, heat->aspect, column);
}

struct extent heat_extent(const struct heat *heat, size_t row)
{
	const struct history *history = heat->history;
	struct extent extent = extent_of(history, heat->values[row]);

	extent.most_marks = isnan(extent.most) ? 0 : heat_marks(heat, row, extent.at);
	for (size_t i = 0; i < history->column_count; i++) {
		unsigned marks = isnan(heat->values[row][i]) ? 0 : heat_marks(heat, row, i);

		extent.mean_marks |= marks;
		if ((marks & HISTORY_PARTIAL) && heat->values[row][i] == 0)
			extent_mark_zero(&extent, i);
	}
	if (row < heat->groups && history->groups[row].has_means) {
		extent.mean = history->groups[row].means[heat->aspect];
		extent.mean_marks = history->groups[row].means_marks[heat->aspect];
	}
	return extent;
}
