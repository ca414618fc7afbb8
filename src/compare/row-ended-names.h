/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-ended-names - whether two windows have the same names of threads that ended in them. */
#include "compare/rows.h"

/* Returns whether threads that ended in a window are in other groups, or left out, on one of two sides, since the two windows do not have
 * the same names of them: those of the keys, or of the choice of processes (registry/exits.def). */
bool row_ended_names_differ(const struct row_set *set);
