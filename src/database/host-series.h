/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* host-series - the facts of one series, added up by host. */
#include "ctprof/base/macro.h"
#include "database/database.h"

/* The use of a file in a question. */
enum host_series_use { USE_NOTHING, USE_FIRST, USE_LAST, USE_COUNT };

struct host_series_sum {
	/* These are rounded from what is added up exactly: the order of the files does not matter. */
	double work, seconds;
	__int128 whole_work;
	uint64_t length_ns;
	uint32_t files;
	uint32_t partial_files; /* in which some threads are missing */
	bool is_unseen;         /* in some file */
};

struct host_series {
	const struct database_list *list; /* borrowed */
	const unsigned char *uses;        /* enum host_series_use by file; borrowed */
	bool has_facts;
	bool is_level; /* a number as it is, and no work: it is not divided by the time */
	struct host_series_sum *sums[USE_COUNT]; /* by host; owned */
	uint32_t *hosts;                         /* those that have facts; owned */
	size_t host_count, host_capacity;
};

/* Returns whether values of this metric have no rate: a number of threads, or a size of memory. A metric that this
 * version does not know has one. */
must_check_ bool host_series_is_level(const char *metric);

void host_series_init(struct host_series *series, const struct database_list *list,
                      const unsigned char *uses);
void host_series_done(struct host_series *series);
void host_series_clear(struct host_series *series);
void host_series_add(struct host_series *series, const struct database_fact *fact);

/* Sorts @hosts. */
void host_series_sort(struct host_series *series);

/* Returns a host's value, NaN if it has none or if it was not seen in some file. */
double host_series_value(const struct host_series *series, enum host_series_use use, size_t host);

/* Returns whether a value of the host was not seen. */
bool host_series_is_unseen(const struct host_series *series, enum host_series_use use, size_t host);
