// SPDX-License-Identifier: GPL-2.0-or-later
#include "host-time.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

struct adding {
	const struct database_list *list;
	const unsigned char *uses;
	struct host_time *hosts;
};

static void add_window(void *context, const struct database_labels *labels)
{
	const struct adding *adding = context;
	const struct database_snapshot *file;
	struct host_time *host;

	if (labels->snapshot >= adding->list->snapshot_count ||
	    adding->uses[labels->snapshot] != USE_FIRST)
		return;
	file = &adding->list->snapshots[labels->snapshot];
	host = &adding->hosts[file->host];
	saturating_add_to(&host->length_ns, file->length_ns);
	host->files++;
}

struct host_time *host_time_read(struct database *database, const char *group_key,
                                 const struct database_list *list, const unsigned char *uses)
{
	struct adding adding = {list, uses,
	                        mem_calloc(list->host_count + 1, sizeof(adding.hosts[0]))};

	if (database_scan_labels(database, group_key, add_window, &adding) < 0) {
		free(adding.hosts);
		return NULL;
	}
	return adding.hosts;
}

double host_time_value(const struct host_time *time, const struct host_series *series, size_t host,
                       uint32_t files)
{
	const struct host_series_sum *sum = &series->sums[USE_FIRST][host];

	if (sum->files == 0 || sum->files != files || sum->is_unseen || time[host].length_ns == 0)
		return NAN;
	return series->is_level ? sum->work / time[host].files
	                        : sum->work / ((double)time[host].length_ns / NS_PER_SECOND);
}
