/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-marks - whether the values of a row's measure are of the same things on both sides. */
#include "compare/rows.h"

/* See struct row_view. */
bool row_marks_impossible_differ(const struct row_set *set, const struct row_group *group,
                                 unsigned measure);

/* Returns whether the measure of a group lacks exited threads of its processes: their part was left out, see struct group, or the total
 * is not known, while the ticks of the same processes show that there was some. */
bool row_marks_lack_exited(const struct group *group, unsigned measure);

/* Returns whether the values of a derived metric are sums of the same inputs, each of the same share of the group's threads. A group
 * that was not there did nothing of any input. */
bool row_marks_inputs_are_same(const struct row_view *view);
