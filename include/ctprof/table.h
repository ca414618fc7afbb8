/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* table - columns of text, padded to their widest cell. It knows no metric. Cells are asked for twice, once
 * to measure and once to print, and never kept, so a table of any length takes no memory. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctprof/strbuf.h"

enum table_color { COLOR_NONE, COLOR_HEADING, COLOR_MORE, COLOR_LESS };

struct table_column {
	const char *heading;
	bool right;   /* aligned to the right */
	bool shrinks; /* gives way where the terminal is too narrow */
};

struct table_style {
	bool color;
	unsigned width; /* of the terminal, in columns; 0: no limit */
};

/* Appends the text of a cell, which must be safe to print, to @out and says how it is to look. */
typedef enum table_color table_cell_function(void *context, size_t row, unsigned column,
                                             struct strbuf *out);

/* Prints a heading and the rows. Errors are left in @file's error flag. */
void table_print(FILE *file, const struct table_style *style, const struct table_column *columns,
                 unsigned column_count, size_t row_count, table_cell_function *cell, void *context);

/* Prints text in a colour, or plainly. */
void table_print_colored(FILE *file, const struct table_style *style, enum table_color color,
                         const char *text);
