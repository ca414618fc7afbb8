// SPDX-License-Identifier: GPL-2.0-or-later
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

void window_pass_last(struct window_join *join, struct window_next *next)
{
	window_reading_done(next->reading);
	*next->reading = join->last;
	join->last = (struct window_reading){0};
}
