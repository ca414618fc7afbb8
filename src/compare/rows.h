/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* rows - the rows of a table: one for each group and measure, of one snapshot (show) or of two matched ones
 * (compare), filtered and in order. Pure: the same groups and options give the same rows. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "group/group.h"
#include "measure/measure.h"

enum row_side { SIDE_BASELINE, SIDE_CANDIDATE, SIDE_MAX }; /* show has the first only */

enum row_order { ORDER_IMPACT, ORDER_DELTA, ORDER_PERCENT, ORDER_NAME };

struct where;

struct row_sort_key {
	unsigned measure;
	bool ascending;
};

struct row_options {
	enum row_order order;
	enum measure_per per;                 /* how values that scale are shown */
	const struct row_sort_key *sort_keys; /* where there are any, groups are ranked by them */
	size_t sort_key_count;
	bool continues; /* the candidate was taken later in the baseline's boot */
	/* The window between the two, grouped like them; NULL: there is none. It must outlive the set. */
	const struct group_table *interval;
	bool one_boot;  /* both are windows of one boot */
	bool unchanged; /* keep rows whose sides are equal or both unseen */
	/* Keep rows of groups that only this side has. */
	bool one_sided[SIDE_MAX];
	/* The side's processes were chosen, so that a group that it does not have may have been there. */
	bool is_chosen[SIDE_MAX];
	/* Ids of the processes of a chosen side that it surely has, in rising order; NULL: not known. They must outlive the set. */
	const struct id_list *chosen_ids[SIDE_MAX];
	bool renamed;                 /* pair cgroups that were renamed by the threads in them */
	bool measures[MEASURE_COUNT]; /* which ones to list */
	/* Those that are not listed where others say the same of the group, see measure/repeats.h. */
	bool once[MEASURE_COUNT];
	/* Leave out rows in which a reader of a table sees no change: where a difference is 0 as it is shown, and labels with the
	 * same winner. */
	bool visible;
	/* Rows that pass all of these are listed; borrowed. */
	const struct where *const *conditions;
	size_t condition_count;
	size_t top_groups; /* only the groups that come first, 0 for all ... */
	size_t limit;  /* how many rows to keep, 0 for all; of each group where top_groups is set */
	bool patterns; /* keep the patterns of the groups' names */
	/* Find rows only when row_next() asks for them, where the order allows it. */
	bool late;
};

/* CPU time of all threads of the host since boot, exited ones included. */
struct row_cpu_time {
	bool seen;
	uint64_t user_clock_ticks;
	uint64_t system_clock_ticks;
};

struct row_group {
	char *label; /* safe to print; owned; with several keys "a / b" */
	/* Label by key, borrowed from the set; all NULL for exited. */
	const char *parts[GROUP_KEYS_MAX];
	/* The patterns of its names, which are the same in other snapshots; labels are not, if a pattern has one name only in one of them.
	 * Borrowed from the set; NULL for exited, and if the options do not keep them. */
	const char *pattern;
	const struct group *sides[SIDE_MAX]; /* NULL where the side does not have it */
	const struct group *interval;        /* what it did between the sides; NULL: not known */
	/* If a side does not have it: the group there of threads that ended without a name of a key, and that may be its own. NULL: none. */
	const struct group *unnamed;
	bool exited;     /* not a group of threads: what the host's threads that have exited used */
	uint32_t unread; /* place in the set's unreads plus one; 0: none */
	/* The cgroup's label in the candidate where it was renamed; borrowed. */
	const char *renamed;
	/* The group's name in the baseline if its threads go on under another name; borrowed. */
	const char *was;
};

/* Two cgroups of different paths that hold the same threads. */
struct row_rename {
	char *labels[SIDE_MAX];   /* safe to print; owned */
	uint32_t types[SIDE_MAX]; /* kinds of threads in each */
	uint32_t overlap;         /* kinds that both have */
	uint32_t cascaded;        /* cgroups that were paired because they lie below these two */
};

struct row {
	uint32_t group;
	uint16_t measure;
	double key; /* what the order ranks by; NaN comes last */
};

/* The groups of threads without a name, which may be of a group, by side; NULL: none. */
struct row_unread {
	const struct group *sides[SIDE_MAX];
};

struct row_set {
	unsigned sides;
	bool continues;
	bool one_boot;            /* threads of one side can be on the other */
	bool is_chosen[SIDE_MAX]; /* as in the options, both */
	const struct id_list *chosen_ids[SIDE_MAX];
	bool is_chosen_by_cgroup; /* when one of them was made, or read */
	struct group_by by;
	struct row_group *groups; /* matched ones, by label or by the sort keys */
	size_t group_count;
	struct row_group *unmatched[SIDE_MAX]; /* those of one side only, most run time first */
	size_t unmatched_count[SIDE_MAX];
	struct row_rename *renames;
	size_t rename_count, rename_capacity;
	struct row *rows; /* the first ones, as many as the limit lets through */
	size_t row_count;
	size_t row_total; /* how many there are without the limit */
	/* The rows are not here: row_next() finds them, and the counts are true behind the last one. */
	const struct row_options *late; /* borrowed */
	size_t groups_left_out;         /* by top_groups, with rows of their own */
	size_t unchanged_count;         /* rows left out because both sides are equal */
	size_t unseen_count;            /* rows left out because no side has a value */
	size_t filtered_count;          /* rows left out by the conditions */
	size_t said_count;              /* rows left out because others say the same */
	struct group *totals[SIDE_MAX]; /* the host's; owned */
	struct group *interval_total;   /* the same of the window between the sides, or NULL */
	struct derive_frame interval_frame;
	const struct rate_list *interval_rates; /* as in struct group_table */
	struct derive_frame frames[SIDE_MAX];
	struct group_names names[SIDE_MAX];
	struct row_unread *unreads; /* owned */
	size_t unread_count, unread_capacity;
	const struct rate_list *rate_lists[SIDE_MAX]; /* as in struct group_table */
	struct metric_set seen_elsewhere[SIDE_MAX];   /* the same */
	enum measure_per per;
	struct row_cpu_time cpu_times[SIDE_MAX]; /* as given, or unseen */
	uint64_t last_birth_clock_ticks[SIDE_MAX];
	/* Mean lifetime of the threads of the group where it is longest. */
	double longest_life_clock_ticks[SIDE_MAX];
	struct group_reader *
	        readers; /* by side, and behind them of the interval: of the groups of the row that was viewed last; owned */
	const uint16_t *spread_measures; /* as in struct group_table */
	size_t spread_count;
	struct group *exited[SIDE_MAX]; /* owned, or NULL */
	struct group **merged;          /* groups put together from several renamed ones; owned */
	size_t merged_count, merged_capacity;
	char **labels; /* owned; what parts and renamed point at */
	size_t label_count, label_capacity;
};

/* Builds the rows of one or two tables of groups, which must outlive the set. @cpu_times, by side, adds the
 * row group of exited threads; NULL leaves it out. @options must outlive the set where it says late. */
void row_set_init(struct row_set *set, const struct group_table *const *tables, unsigned sides,
                  const struct row_cpu_time *cpu_times, const struct row_options *options);
void row_set_done(struct row_set *set);

/* Returns whether a group has only threads that have exited. */
static inline bool row_group_is_exited(const struct row_group *group)
{
	for (unsigned side = 0; side < SIDE_MAX && !group->exited; side++)
		if (group->sides[side] && group->sides[side]->threads > 0)
			return false;
	return true;
}

/* Returns whether the delta of a row is that of the window between two snapshots of one boot: the measure is a counter, or a sum of
 * some, and there is such a window. */
bool row_has_interval(const struct row_set *set, const struct row_group *group, unsigned measure);

/* The evidence of a side about a group that it does not have. */
enum row_absence {
	ABSENCE_NONE, /* nothing, or it has the group */
	ABSENCE_ZERO, /* it did nothing there */
	/* No thread of it was seen, but some threads of the window were not: zero, without these. */
	ABSENCE_PARTIAL,
	/* This one has no records of threads that ended, and threads of it ended on the other side, or the CPU time that is in no row here
	 * is a tenth or more of what it used there: nothing is known. */
	ABSENCE_UNKNOWN,
};
/* Returns whether both sides are windows of one boot and this one would have the group if it had been there. */
bool row_has_absence(const struct row_set *set, const struct row_group *group, unsigned side);
enum row_absence row_absence(const struct row_set *set, const struct row_group *group,
                             unsigned side);
/* Returns whether the side does not show the group, and may have had it: its processes were chosen. */
bool row_may_hide(const struct row_set *set, const struct row_group *group, unsigned side);
/* Returns whether the side shows a group of which its choice may have left out some processes. The group is of no single process. */
bool row_may_lack_processes(const struct row_set *set, const struct row_group *group,
                            unsigned side);
/* Returns whether threads of the side that were not chosen have the measure, or all its inputs; of a sum of parts, one of them. */
bool row_is_seen_elsewhere(const struct row_set *set, unsigned side, unsigned measure);
/* The zero that such a group has on that side, of a measure that counts and that the side has seen of others. None of a thread or
 * of its CPU time, since the group has none, and none of ABSENCE_UNKNOWN. */
struct quantity row_absent_value(const struct row_set *set, const struct row_group *group,
                                 unsigned side, unsigned measure, enum measure_per per);

/* Returns whether exit records give the metric more completely in one of two windows than in the other (registry/exits.def), and
 * threads of the group ended in the less complete one. If that window lacks ended threads, or has no exit records, the threads
 * that ended in the other window count. If both give the same, and one misses threads, those that ended in the group count if they
 * are fewer than ten times as many. If single windows or hosts of a sum differ in this, or row_ended_names_differ(), the threads
 * that ended on either side count. False for a group that one side does not have, if the set has no absence. */
bool row_ends_differ(const struct row_set *set, const struct row_group *group,
                     enum metric_id metric);
/* Returns whether one side lacks clearly more names of threads than the other one, and threads without a name on one side may have a tenth
 * or more of what the group has of the metric; of what is no sum, whether there are any. */
bool row_unread_may_have(const struct row_set *set, const struct row_group *group,
                         enum metric_id metric);

/* Everything a renderer needs of a row. */
struct row_view {
	const struct row_group *group;
	/* Its sides, whose cells can be read until the set is asked for a row of another group; NULL for a missing side. */
	const struct group *sides[SIDE_MAX];
	unsigned measure;
	const struct fold_cell
	        *cells[SIDE_MAX]; /* of @sides; NULL for a derived metric or a missing side */
	struct quantity values[SIDE_MAX];
	struct quantity delta; /* candidate minus baseline */
	/* The same as percentages count it: no more of a wait that began before a window or an interval than the part inside. */
	struct quantity inside[SIDE_MAX];
	struct quantity delta_inside;
	struct quantity percent; /* of the baseline; none for ratios and a baseline of 0 */
	struct quantity impact;  /* how much of the host moved */
	uint32_t seen[SIDE_MAX]; /* threads whose value is in */
	/* Within one boot: the group's threads are not the same ones on both sides, for some started, exited or
	 * changed their name. */
	bool members_differ;
	/* ... and the difference is none of work: a counter fell, which no thread's own counter does, or the group
	 * is one of kernel workers, who carry their counters with them. It has no impact. */
	bool no_movement;
	/* Within one boot: the threads are the same ones, and a counter of theirs is lower than before. No thread's counter
	 * falls, so it was counted anew (a thread executed a program in place of another one, or its allocator was replaced):
	 * there is no difference. */
	bool went_back;
	/* Within one boot, of lifetime snapshots: a value of some thread is impossible on one side only. One of the values has
	 * it, wrong as it is, and the other one has not: there is no difference. */
	bool impossible_differs;
	uint32_t expected[SIDE_MAX]; /* threads that can have one */
	/* A side has values of exited threads, the other one not of the same processes: they are not in the
	 * values. Or they are not known, see group_measure_lacks_exited(). */
	bool exited_left_out;
	/* Inputs that the value of a derived metric lacks, see derive_missing(). If they differ between the sides, the
	 * values are different sums and have no difference. */
	struct metric_set missing_inputs[SIDE_MAX];
	/* Both sides are windows, threads of the group ended, and one window has less than the other of what such threads have of
	 * this measure (registry/exits.def). The difference is in part one of how it was measured. It has no impact. */
	bool measured_differently;
	/* The delta is what happened between two snapshots of one boot, see row_has_interval(). */
	bool is_interval;
	/* It lacks some of the group's threads; or it is that of two sums of which a part was seen of unlike shares of the threads, and
	 * has no impact. */
	bool delta_partial;
	/* The value of that side is the zero of a group that was not there. */
	enum row_absence absence[SIDE_MAX];
	/* Between two snapshots or windows of one boot: the group is in the second one only, or in the first one only, and the other one
	 * would show it. */
	bool is_new, is_gone;
	/* In a window, how many threads have a wait in the value that ended there and is longer than they were there; per second and
	 * in percentages no more of it counts than that. */
	uint32_t began_before[SIDE_MAX];
	/* The delta of an interval has such a wait. */
	bool delta_began_before;
	/* Mean over the threads whose value is in, without those that have exited; none for what is not a sum. */
	struct quantity means[SIDE_MAX];
	uint64_t clock_ticks_per_second; /* of values in ticks, of both sides; 0: not known */
	enum measure_per
	        per; /* what the values, the delta and the means are per; total where the measure does not scale */
};
void row_view(const struct row_set *set, const struct row_group *group, unsigned measure,
              struct row_view *ret);

/* Returns whether the side has a value; that of a label is no number. */
static inline bool row_has_value(const struct row_view *view, unsigned side)
{
	if (view->cells[side] && view->per == PER_total)
		return view->cells[side]->seen > 0;
	return view->values[side].kind != QUANTITY_NONE;
}

/* Returns whether the value of the side has more of waits that began before the window than percentages count. */
static inline bool row_has_waits_before(const struct row_view *view, unsigned side)
{
	return quantity_double(view->inside[side]) < quantity_double(view->values[side]);
}

/* Walks over the rows, in order. Starts zeroed. */
struct row_cursor {
	size_t at; /* row, or group where they are found late */
	unsigned measure;
};
bool row_next(struct row_set *set, struct row_cursor *cursor, struct row_view *ret);

/* Returns an amount of one side in the unit of the row: clock ticks of the candidate become ticks of the baseline's clock. Values and
 * means of a view are in them. */
struct quantity row_in_common_ticks(const struct row_set *set, unsigned side, unsigned measure,
                                    struct quantity value);

/* Returns the largest error of a value, in the unit of the row, because the kernel counts in steps. Each of its threads may be off
 * - by a clock tick, in what is counted in ticks;
 * - by the time since its last tick, in run time: a clock tick, of as many threads as there are CPUs, and of each that
 *   ended in a window whose exit records are not complete;
 * - in a window, by the part of the window that the times of its readings are uncertain by.
 * None for measures that are no counters (except percentages of CPU time), for groups of exited threads only, and if
 * the clock or the uncertainty is not known. A rate needs that of thread_count among the table's rates. */
struct quantity row_error(const struct row_set *set, const struct row_view *view, unsigned side);
/* Returns whether the error is more than 1 % of the value. */
bool row_error_is_notable(struct quantity error, struct quantity value);

/* Returns the mean lifetime of the group's threads, in percent of the group where it is longest; in a window, their time
 * in it, in percent of its length. None if it is not known. */
struct quantity row_uptime(const struct row_set *set, const struct row_group *group, unsigned side);

/* The distribution of the measure over the group's threads; NULL where it was not asked for or there is none. */
struct spread *row_spread(const struct row_set *set, const struct row_group *group,
                          unsigned measure, unsigned side);
