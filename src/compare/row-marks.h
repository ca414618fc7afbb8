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

/* The parts of the group's threads that the two values are of. */
enum row_shares {
	ROW_SHARES_SAME,
	ROW_SHARES_UNEVEN, /* other parts, which make a tenth of the difference at most if threads without a value are like the others */
	/* Other parts, which may make more of it. Also: of two windows without the ends of threads one lacks threads that ended, the other one
	 * has their work by the total of their process; and of a maximum or a minimum, which may be that of one thread. */
	ROW_SHARES_DIFFER,
};
/* Averages and shares, and values by thread and by CPU time, are of the threads that have a value: the parts differ if a tenth of these or
 * more are others. */
enum row_shares row_marks_shares(const struct row_set *set, const struct row_view *view);
