/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-percent - what percentages of a row count: of waits that began before a window, the part inside. */
#include "compare/rows.h"

/* Sets the inside values of a row whose values and delta are set. */
void row_percent_set_inside(const struct row_set *set, struct row_view *view);

/* Sets the inside delta of a row that is an interval, of the inputs of its delta. */
void row_percent_set_inside_of_interval(struct row_view *view, const struct derive_inputs *in);

/* Returns the inside delta in percent of the baseline's size, so that it has the sign of the delta. None without a delta, for ratios and
 * places on a scale, and if the baseline is 0. */
struct quantity row_percent(const struct row_view *view);
