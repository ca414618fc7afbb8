/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* overview-unlike - the groups of a change whose two sides were measured differently: they have amounts, and no difference; and those
 * whose work between two snapshots is not known. */
#include "overview/overview.h"

/* Returns whether the sides have the aspect of unlike shares of the group's threads, which may be a good part of the difference,
 * or in windows (@of_windows) one of them lacks exited threads. */
bool overview_has_unlike_shares(const struct overview_row *row, unsigned aspect, bool of_windows);

/* Returns the larger part of an amount of the aspect that unlike shares make. */
double overview_unlike_part(const struct overview_row *row, unsigned aspect);

/* Returns whether the aspect's value between two snapshots lacks work of threads whose value both have: a counter that went back, or
 * another thread's that has the ids now. */
bool overview_lacks_work(const struct overview_row *row, unsigned aspect,
                         const struct aspect_source *source);

/* Sorts @overview->unlike: those first whose amounts differ most. */
void overview_unlike_sort(struct overview *overview);
