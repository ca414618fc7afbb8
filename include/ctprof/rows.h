/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* rows - the rows of a table: one for each group and measure, of one snapshot (show) or of two matched ones
 * (compare), filtered and in order. Pure: the same groups and options give the same rows. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/group.h"
#include "ctprof/measure.h"

enum row_side { SIDE_BASELINE, SIDE_CANDIDATE, SIDE_MAX }; /* show has the first only */

enum row_order { ORDER_IMPACT, ORDER_DELTA, ORDER_PERCENT, ORDER_NAME };

struct row_sort_key {
	unsigned measure;
	bool ascending;
};

struct row_options {
	enum row_order order;
	const struct row_sort_key *sort_keys; /* where there are any, groups are ranked by them */
	size_t sort_key_count;
	bool continues;               /* the candidate was taken later in the baseline's boot */
	bool unchanged;               /* keep rows whose sides are equal or both unseen */
	bool measures[MEASURE_COUNT]; /* which ones to list */
};

/* CPU time of all threads of the host since boot, exited ones included. */
struct row_cpu_time {
	bool seen;
	uint64_t user_clock_ticks;
	uint64_t system_clock_ticks;
};

struct row_group {
	char *label;                         /* safe to print; owned */
	const struct group *sides[SIDE_MAX]; /* NULL where the side does not have it */
	bool exited; /* not a group of threads: what the host's threads that have exited used */
};

struct row {
	uint32_t group;
	uint16_t measure;
	double key; /* what the order ranks by; NaN comes last */
};

struct row_set {
	unsigned sides;
	bool continues;
	struct row_group *groups; /* matched ones, by label */
	size_t group_count;
	struct row_group *unmatched[SIDE_MAX]; /* those of one side only, most run time first */
	size_t unmatched_count[SIDE_MAX];
	struct row *rows;
	size_t row_count;
	size_t unchanged_count;                   /* rows left out because both sides are equal */
	size_t unseen_count;                      /* rows left out because no side has a value */
	struct fold_cell (*totals)[METRIC_COUNT]; /* the host's, by side */
	struct row_cpu_time cpu_times[SIDE_MAX];  /* as given, or unseen */
	struct group *exited[SIDE_MAX];           /* owned, or NULL */
};

/* Builds the rows of one or two tables of groups, which must outlive the set. @cpu_times, by side, adds the
 * row group of exited threads; NULL leaves it out. */
void row_set_init(struct row_set *set, const struct group_table *const *tables, unsigned sides,
                  const struct row_cpu_time *cpu_times, const struct row_options *options);
void row_set_done(struct row_set *set);

/* Everything a renderer needs of a row. */
struct row_view {
	const struct row_group *group;
	unsigned measure;
	const struct fold_cell *cells[SIDE_MAX]; /* NULL for a derived metric or a missing side */
	struct quantity values[SIDE_MAX];
	struct quantity delta;   /* candidate minus baseline */
	struct quantity percent; /* of the baseline; none for ratios and a baseline of 0 */
	struct quantity impact;  /* how much of the host moved */
	uint32_t seen[SIDE_MAX]; /* threads whose value is in */
	/* Within one boot: the group's threads are not the same ones on both sides, for some started, exited or
	 * changed their name. */
	bool members_differ;
	/* ... and the difference is none of work: a counter fell, which no thread's own counter does, or the group
	 * is one of kernel workers, who carry their counters with them. It has no impact. */
	bool no_movement;
	uint32_t expected[SIDE_MAX]; /* threads that can have one */
	/* What exited threads did is known on a side, but not of the same processes on the other, and so it is not in the
	 * values. */
	bool exited_left_out;
};
void row_view(const struct row_set *set, const struct row_group *group, unsigned measure,
              struct row_view *ret);
