// SPDX-License-Identifier: GPL-2.0-or-later
#include "overview/overview-unlike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct group_coverage coverage_of(const struct overview_row *row, unsigned aspect,
                                         unsigned side)
{
	uint32_t threads = row->group->sides[side] ? row->group->sides[side]->threads : 0;
	uint32_t lacking = row->values[aspect][side].lacking;

	return (struct group_coverage){threads > lacking ? threads - lacking : 0, threads};
}

bool overview_has_unlike_shares(const struct overview_row *row, unsigned aspect, bool of_windows)
{
	const struct overview_value *values = row->values[aspect];
	struct group_coverage a = coverage_of(row, aspect, SIDE_BASELINE);
	struct group_coverage b = coverage_of(row, aspect, SIDE_CANDIDATE);

	if (!values[SIDE_BASELINE].seen || !values[SIDE_CANDIDATE].seen)
		return false;
	if (of_windows && values[SIDE_BASELINE].lacks_exited != values[SIDE_CANDIDATE].lacks_exited)
		return true;
	return group_shares_differ(a, b) &&
	       (aspect_table[aspect].kind == ASPECT_KIND_PEAK ||
	        !group_shares_are_small(a, b, values[SIDE_BASELINE].amount,
	                                values[SIDE_CANDIDATE].amount));
}

double overview_unlike_part(const struct overview_row *row, unsigned aspect)
{
	const struct overview_value *values = row->values[aspect];
	struct group_coverage a = coverage_of(row, aspect, SIDE_BASELINE);
	struct group_coverage b = coverage_of(row, aspect, SIDE_CANDIDATE);

	return fmax(group_shares_part(a, b) * values[SIDE_BASELINE].amount,
	            group_shares_part(b, a) * values[SIDE_CANDIDATE].amount);
}

/* Returns how many threads of the first snapshot have no value of the metric. */
static uint32_t unread_before(const struct group *before, enum metric_id metric)
{
	uint32_t seen = before ? group_number(before, metric).seen : 0;

	return before && before->threads > seen ? before->threads - seen : 0;
}

bool overview_lacks_work(const struct overview_row *row, unsigned aspect,
                         const struct aspect_source *source)
{
	const struct group *between = row->group->interval;
	const struct group *before = row->group->sides[SIDE_BASELINE];
	const struct group *later = row->group->sides[SIDE_CANDIDATE];

	if (!row->values[aspect][0].partial || !source || !between || !later)
		return false;
	for (unsigned i = 0; i < source->count; i++)
		if (metric_is_counter(source->metrics[i]) &&
		    group_number(later, source->metrics[i]).seen >
		            group_number(between, source->metrics[i]).seen +
		                    unread_before(before, source->metrics[i]))
			return true;
	return false;
}

static int by_size(const void *a_ptr, const void *b_ptr)
{
	const struct overview_unlike *a = a_ptr, *b = b_ptr;

	if (a->size < b->size || a->size > b->size)
		return a->size < b->size ? 1 : -1;
	return strcmp(a->group->label, b->group->label);
}

void overview_unlike_sort(struct overview *overview)
{
	if (overview->unlike_count > 0)
		qsort(overview->unlike, overview->unlike_count, sizeof(overview->unlike[0]),
		      by_size);
}
