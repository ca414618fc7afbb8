/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-setting - finds what was set differently on the threads of a group. */
#include "compare/rows.h"

/* Returns whether the group's threads are set differently on the two sides, for a view of a metric that is a setting of threads;
 * the values that differ are in @cells, zeroed by the caller, who frees them with fold_cell_done(). Within one boot only threads
 * of both sides count: others came and went. If there are none, the group counts if it is one of a service that was started
 * again: the first one ran for some seconds at least, and none of its values is left. */
bool row_is_set_differently(const struct row_set *set, const struct row_view *view,
                            struct fold_cell cells[SIDE_MAX]);
