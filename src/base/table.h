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
	COLOR_HEADING, /* bold, without a colour: only what changed has one */
	COLOR_MORE,    /* yellow: more than before, without a verdict */
	COLOR_LESS,    /* magenta */
	COLOR_MUCH_MORE,
	COLOR_MUCH_LESS, /* the same, bold */
	COLOR_GOOD,      /* green: a share that is high enough */
	COLOR_FAIR,      /* yellow */
	COLOR_POOR,      /* bold red */
	COLOR_COUNT
};

/* The behaviour of a column on a narrow terminal. */
enum table_shrink {
	SHRINKS_NEVER,
	SHRINKS_ALWAYS, /* is cut, before any other */
	SHRINKS_WRAPPED /* is cut where all others are as narrow as they can be */
};

struct table_column {
	const char *heading;
	bool right; /* aligned to the right */
	enum table_shrink shrinks;
	/* The column with the smallest number leaves a table that is too wide first; 0 never leaves. */
	unsigned leaves;
};

struct table_style {
	bool color;
	unsigned width; /* of the terminal, in columns; 0: no limit */
	bool markdown; /* as a Markdown table, for people who read it elsewhere: no colour, no width */
	bool ascii;    /* all texts become ASCII, see text_add_ascii(); not in Markdown */
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

/* Returns the colour of a share that is better the higher it is, in percent: good from 75 on, fair from 50 on. */
enum table_color table_color_of_share(double percent);

/* Prints text in a colour, or plainly. */
void table_print_colored(FILE *file, const struct table_style *style, enum table_color color,
                         const char *text);

/* Prints lines of text, safe to print, above or below a table: folded to the terminal's width, or fenced in Markdown,
 * which would join them and read markup in them. @text becomes ASCII if the style wants that. */
void table_print_text(FILE *file, const struct table_style *style, struct strbuf *text);
