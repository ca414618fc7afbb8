/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* overview-label - the names of groups in the overview: cut so that each of several names can be read, and a path by its end. */
#include "base/table.h"
#include "compare/rows.h"

/* Returns the columns that the names need at least in a table of this width (0: any). Other columns leave before they have less. */
size_t overview_label_min(const struct group_by *by, size_t width);

/* Appends the headings of all keys: "host / pcomm". */
void overview_label_add_heading(const struct group_by *by, struct strbuf *out);

/* Appends the name of a group of @count keys, as wide as @room at most if each name keeps enough of it; 0: as wide as it is. A single
 * name that is no path is not cut. */
void overview_label_add(const struct row_group *group, unsigned count,
                        const struct table_style *style, size_t room, struct strbuf *out);
