/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* groups - groups and rows to test with, in few words. */
#include "check.h"
#include "compare/rows.h"

enum { SPEC_VALUES = 8 };

/* Makes a thread. Values that are not set are unseen. */
struct thread_spec {
	const char *name;   /* of thread and process */
	const char *cgroup; /* NULL: none */
	uint32_t tid;       /* 0: a new one */
	uint32_t tgid;      /* 0: the thread leads its process */
	uint64_t start_time_clock_ticks;
	enum window_part window_part;
	uint64_t interval_ns, life_ns, read_boottime_ns, run_time_before_ns;
	char state;
	const char *policy;
	const char *cpus;
	struct {
		enum metric_id metric; /* METRIC_thread_count, which is 0, ends them */
		int64_t number;
	} values[SPEC_VALUES];
};

void add_thread(struct group_table *table, struct thread_spec spec);

/* The group that group_table_find() finds, with cells that are not packed. */
struct group *open_table_group(const struct group_table *table, const struct span *patterns);

/* The group of a table with one key whose name has this pattern, or NULL. */
struct group *table_group(const struct group_table *table, const char *pattern);

/* All metrics are listed, by impact. */
struct row_options all_rows(void);

/* The group with this label among the matched ones, or NULL. */
const struct row_group *find_group(const struct row_set *set, const char *label);

/* The row, listed or not; the group must be there. */
struct row_view view_row(const struct row_set *set, const char *label, unsigned measure);
bool is_listed(const struct row_set *set, const char *label, unsigned measure);

#define assert_integer(quantity_, expected_)                          \
	do {                                                          \
		struct quantity found_ = (quantity_);                 \
		assert_int_equal(found_.kind, QUANTITY_INTEGER);      \
		assert_true(found_.integer == (__int128)(expected_)); \
	} while (0)

#define assert_none(quantity_) assert_int_equal((quantity_).kind, QUANTITY_NONE)

/* Compares with a margin: the order of the operations is not defined. */
#define assert_real(quantity_, expected_)                                                  \
	do {                                                                               \
		struct quantity found_ = (quantity_);                                      \
		double wanted_ = (expected_), off_ = quantity_double(found_) - wanted_;    \
		assert_int_not_equal(found_.kind, QUANTITY_NONE);                          \
		assert_true((off_ < 0 ? -off_ : off_) <= 1e-12 * (1 + wanted_ * wanted_)); \
	} while (0)

/* Returns the metrics that have a rate. */
struct rate_list all_rates(void);
