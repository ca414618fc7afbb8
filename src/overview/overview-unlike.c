// SPDX-License-Identifier: GPL-2.0-or-later
#include "overview/overview-unlike.h"

#include <stdlib.h>
#include <string.h>

bool overview_has_unlike_shares(const struct overview_row *row, unsigned aspect)
{
	const struct overview_value *a = &row->values[aspect][SIDE_BASELINE];
	const struct overview_value *b = &row->values[aspect][SIDE_CANDIDATE];

	return a->seen && b->seen && group_shares_differ(a->coverage, b->coverage) &&
	       (aspect_table[aspect].kind == ASPECT_KIND_PEAK ||
	        !group_shares_are_small(a->coverage, b->coverage, a->amount, b->amount));
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
