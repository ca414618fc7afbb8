/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-exits - whether both windows of a row have the same of threads that ended in them. */
#include "compare/rows.h"

/* Returns whether exit records give the row's measure more completely in one window than in the other (registry/exits.def), and
 * threads of the group ended in the less complete one. If that window lacks ended threads, or has no exit records, the threads that
 * ended in the other window count. A derived metric is measured differently if one of its inputs is. False if neither side has a
 * value. */
bool row_is_measured_differently(const struct row_set *set, const struct row_view *view);
