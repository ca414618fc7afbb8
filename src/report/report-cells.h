/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-cells - the cells of the rows, for people. */
#include "report/report-text.h"

/* A column of a table: with several keys the group has several columns. */
struct cell_column {
	enum report_column column;
	unsigned key; /* of COLUMN_group; KEY_LABEL for the whole label */
};
enum { KEY_LABEL = GROUP_KEYS_MAX, CELL_COLUMNS_MAX = COLUMNS_MAX + GROUP_KEYS_MAX };

struct cell_columns {
	unsigned count;
	struct cell_column columns[CELL_COLUMNS_MAX];
};

/* Fills the columns of the report's table, with those of the keys. */
void report_cell_columns(const struct report *report, struct cell_columns *ret);

/* Returns whether the rows are a tree: its branches are in the column of the groups, which must be the first. */
bool report_is_tree(const struct report *report);

/* Returns the heading of a column. */
const char *report_cell_heading(const struct report *report, struct cell_column column);

/* Returns whether cells are numbers. */
bool report_cell_is_number(struct cell_column column);

/* The rows of a table, with the view of the last row. */
struct row_context {
	const struct report *report;
	const struct cell_columns *columns;
	struct row_view view;
	size_t view_row;
};

const struct row_view *report_view_of(struct row_context *context, size_t row);

/* Appends a cell. */
enum table_color report_add_cell(struct row_context *context, size_t row, struct cell_column column,
                                 struct strbuf *out);

/* Appends the text behind the name of a renamed cgroup, or nothing. */
void report_add_renamed(const struct row_set *set, const struct row_group *group,
                        struct strbuf *out);
