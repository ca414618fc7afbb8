/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-marks - values of a row's measure that are impossible on one side only. */
#include "compare/rows.h"

/* See struct row_view. */
bool row_marks_impossible_differ(const struct row_set *set, const struct row_group *group,
                                 unsigned measure);
