/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-other-name - what a group of one table is called in the other one, where it goes on there under another name. */
#include "compare/rows.h"
#include "ctprof/base/strbuf.h"

/* Appends the name on @side of the group that has the name on the other side; nothing where there is none, or it is the same. Names
 * are as a table of one snapshot prints them. @interval as for row_carried(). */
void row_add_other_name(const struct group_table *const tables[SIDE_MAX],
                        const struct group_table *interval, unsigned side, const char *name,
                        struct strbuf *ret);
