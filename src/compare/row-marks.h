/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-marks - whether the values of a row's measure are of the same things on both sides. */
#include "compare/rows.h"

/* See struct row_view. */
bool row_marks_impossible_differ(const struct row_set *set, const struct row_group *group,
                                 unsigned measure);

/* The inputs of a derived metric, which may lack some of the group's threads. */
enum row_inputs {
	ROW_INPUTS_SAME,   /* the same on both sides, each of the same share of the threads */
	ROW_INPUTS_UNEVEN, /* parts of a sum that both sides have of unlike shares of the threads */
	ROW_INPUTS_DIFFER,
};
/* A group that was not there did nothing of any input. */
enum row_inputs row_marks_inputs(const struct row_view *view);

/* Returns whether the difference of two sums with uneven inputs is at least a hundred times as large as the part of it that is due to
 * the shares, if threads without an input are like those that have it. */
bool row_marks_uneven_is_small(const struct row_view *view, struct quantity delta);

/* Returns whether the values have unlike shares of the group's threads, and are amounts of these threads: sums, maxima and minima. */
bool row_marks_shares_differ(const struct row_view *view);
/* Returns whether such a difference is at least ten times as large as the part of it that is due to the shares, if threads without a value
 * are like those that have one. A maximum may be that of one thread: no share of it is small. */
bool row_marks_shares_are_small(const struct row_view *view);
