/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* table - columns of text, padded to their widest cell. It has no metrics in it. Each cell is requested twice, once to
 * measure and once to print, and only those of one row are kept, so a table of any length needs no memory. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctprof/base/strbuf.h"

enum table_color {
	COLOR_NONE,
	COLOR_HEADING, /* cyan */
	COLOR_MORE,    /* yellow: more than before, without a verdict */
	COLOR_LESS,    /* magenta */
	COLOR_MUCH_MORE,
	COLOR_MUCH_LESS, /* the same, bold */
	COLOR_GOOD,      /* green: a share that is high enough */
	COLOR_FAIR,      /* yellow */
	COLOR_POOR,      /* bold red */
	COLOR_TOP,       /* bold green: headings of a tree, from its root on */
	COLOR_SECOND,    /* bold cyan */
	COLOR_DEEPER,    /* bold dark grey */
	COLOR_PROCESS,   /* bold white */
	COLOR_DERIVED,   /* blue */
	COLOR_COUNT
};

/* The behaviour of a column on a narrow terminal. */
enum table_shrink {
	SHRINKS_NEVER,
	SHRINKS_ALWAYS, /* is cut, before any other */
	SHRINKS_WRAPPED /* becomes narrower if its cells continue below, and is not cut */
};

struct table_column {
	const char *heading;
	bool right; /* aligned to the right */
	enum table_shrink shrinks;
};

struct table_style {
	bool color;
	unsigned width; /* of the terminal, in columns; 0: no limit */
	bool markdown; /* as a Markdown table, for people who read it elsewhere: no colour, no width */
	bool ascii;    /* the ellipsis and the arrow are ASCII */
	bool wrap;     /* a text that is too wide continues in lines below instead of being cut */
};

/* Appends the text of a cell, which must be safe to print, to @out. Returns its colour. */
typedef enum table_color table_cell_function(void *context, size_t row, unsigned column,
                                             struct strbuf *out);

/* A line across the whole table. */
struct table_heading {
	enum table_color color;
	unsigned indent; /* blanks before it */
};

/* Returns whether the row is a heading and has no cells; then appends its text, safe to print, to @out. @ret is
 * zeroed. */
typedef bool table_heading_function(void *context, size_t row, struct table_heading *ret,
                                    struct strbuf *out);

/* Prints a heading and the rows. Errors are left in @file's error flag. */
void table_print(FILE *file, const struct table_style *style, const struct table_column *columns,
                 unsigned column_count, size_t row_count, table_cell_function *cell, void *context);

/* Prints a table with headings between its rows. They do not widen it, and are cut to the terminal's width, or
 * continued. */
void table_print_tree(FILE *file, const struct table_style *style,
                      const struct table_column *columns, unsigned column_count, size_t row_count,
                      table_cell_function *cell, table_heading_function *heading, void *context);

/* Returns the colour of a tree's heading, 0 being the root. */
enum table_color table_color_of_depth(unsigned depth);

/* Returns the colour of a share that is better the higher it is, in percent: good from 75 on, fair from 50 on. */
enum table_color table_color_of_share(double percent);

/* Prints text in a colour, or plainly. */
void table_print_colored(FILE *file, const struct table_style *style, enum table_color color,
                         const char *text);
