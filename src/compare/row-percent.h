/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-percent - what percentages of a row count: of waits that began before a window, the part inside. */
#include "compare/rows.h"

/* Sets the inside values of a row whose values are set. */
void row_percent_set_inside(const struct row_set *set, struct row_view *view);

/* Sets the inside delta of a row whose delta is the difference of its values. */
void row_percent_set_difference(struct row_view *view);

/* Sets the inside delta of a row whose delta is an interval, with the inputs of that. */
void row_percent_set_interval(struct row_view *view, const struct derive_inputs *in);

/* Returns whether an interval has a metric of the measure of many more of its threads than the baseline has of its own: a tenth or more of
 * the baseline's value, supposed that threads without a value are like the others. */
bool row_percent_is_of_fewer(const struct row_view *view, const struct group *interval);

/* Returns the inside delta in percent of the baseline's size, so that it has the sign of the delta. None without a delta, for ratios and
 * places on a scale, and if the baseline is 0. */
struct quantity row_percent(const struct row_view *view);
