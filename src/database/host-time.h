/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* host-time - the windows of each host that have groups by one set of keys: a group that is not in one of them did nothing there. */
#include "database/database.h"
#include "host-series.h"

struct host_time {
	uint64_t length_ns;
	uint32_t files;
};

/* Adds up the windows with the use USE_FIRST in @uses, by host. Returns an array as long as the list's hosts, owned by the caller; NULL
 * if the database cannot be read. */
struct host_time *host_time_read(struct database *database, const char *group_key,
                                 const struct database_list *list, const unsigned char *uses);

/* Returns the host's value over all its windows: work per second, or the mean of a level. NaN if a value was not seen, or if the metric is
 * missing in one of the @files windows that have the group. */
double host_time_value(const struct host_time *time, const struct host_series *series, size_t host,
                       uint32_t files);
