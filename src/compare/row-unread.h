/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-unread - names of threads that one side could read and the other could not: such threads are in other groups there. */
#include "compare/rows.h"

/* Returns whether one side lacks clearly more of the names, by number and by share. */
bool row_unread_differs(const struct row_set *set);

/* Returns the group of a table that may have threads of this one: those whose names could not be read, and that are like those of the
 * entry else. NULL if there is none. The tables may be the same. */
const struct group *row_unread_group(const struct group_table *table,
                                     const struct strmap_entry *entry,
                                     const struct group_table *other);
