/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-exits - whether both windows of a row have the same of threads that ended in them. */
#include "compare/rows.h"

/* Returns row_ends_differ() of the row's measure; of a derived metric, that of any input. False if neither side has a value. */
bool row_is_measured_differently(const struct row_set *set, const struct row_view *view);
