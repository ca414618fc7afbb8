/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-visible - whether a row tells a reader of a table something. */
#include "compare/rows.h"

/* Returns whether a table of two sides shows a change in the row: a difference that does not read as 0, other labels or ends of
 * a range, or a value that one side lacks. */
bool row_is_visible(const struct row_view *view);

/* Returns whether the list has a row of the same group that says all that this one says: of no fewer threads on any side, and
 * with a difference if this one has one. */
bool row_is_said(const struct row_set *set, const struct row_options *options,
                 const struct row_view *view);
