/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* group-filter - picks the threads of one group by the group's label, while a snapshot is read. Both a pattern and a name match,
 * since it takes the last thread to find whether the pattern has one name only. */
#include <stdbool.h>

#include "group/group-by.h"

struct group_filter {
	struct group_by by;
	const char *label; /* as tables print it; borrowed */
	struct key_names names[GROUP_KEYS_MAX];
	struct strbuf text; /* a name as it is printed */
	bool found;         /* a thread of the group, or its exited threads' work */
};

/* Returns whether the thread is in the group. @host as for key_names_of_thread(). */
bool group_filter_wants(struct group_filter *filter, const struct thread_sample *sample,
                        const struct host *host);

/* Returns whether threads of the same process that have exited are in the group. */
bool group_filter_wants_exited(struct group_filter *filter, const struct thread_sample *sample,
                               const struct host *host);

void group_filter_done(struct group_filter *filter);
