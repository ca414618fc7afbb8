// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "base/mem.h"
#include "window-join.h"

void window_keep_info(const struct snapshot_info *from, struct snapshot_info *to)
{
	*to = *from;
	to->labels = (struct labels){0};
	to->host = (struct host){0};
	to->sched_ext = (struct sched_ext){0};
	to->settings = (struct settings){0};
	labels_copy(&to->labels, &from->labels);
	host_copy(&to->host, &from->host);
}

/* Programs that choose their names could fill the memory of a recorder that runs for weeks. */
enum { RESTS_MAX = 1 << 14 };

void window_rests_done(struct window_rests *rests)
{
	strmap_done(&rests->places);
	free(rests->entries);
	*rests = (struct window_rests){0};
}

void window_begin_next(struct window_join *join, struct window_next *next)
{
	join->last.carries =
	        mem_calloc((size_t)join->last.threads.count + 1, sizeof(join->last.carries[0]));
	if (!next->rests)
		return;
	if (next->rests->count > RESTS_MAX)
		window_rests_done(next->rests);
	join->rests = *next->rests;
	*next->rests = (struct window_rests){0};
}

void window_pass_last(struct window_join *join, struct window_next *next)
{
	window_reading_done(next->reading);
	*next->reading = join->last;
	join->last = (struct window_reading){0};
	if (!next->rests)
		return;
	*next->rests = join->rests;
	join->rests = (struct window_rests){0};
}
