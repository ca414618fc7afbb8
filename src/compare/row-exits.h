/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-exits - whether both windows of a row have the same of threads that ended in them. */
#include "compare/rows.h"

/* Whether one window has less than the other of what ended threads have of the row's measure (registry/exits.def), and threads
 * of the group ended there. Where that window lacks ended threads, or has no records of them at all, the other window says
 * whether the group has such threads. A derived metric is measured differently with any of its inputs.
 * False where neither side has a value. */
bool row_is_measured_differently(const struct row_set *set, const struct row_view *view);
