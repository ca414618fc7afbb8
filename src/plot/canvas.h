/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* canvas - a field of dots that is printed as text. A cell of braille has two by four dots; one of ASCII has one by two, and shows
 * lines after the first one as a letter. The origin is at the bottom left. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/strbuf.h"

enum { CANVAS_LINES = 4 };

struct canvas {
	bool ascii, color;
	unsigned columns, rows; /* in cells */
	unsigned width, height; /* in dots */
	uint8_t *dots;          /* owned; of each cell, from the top left one on */
	uint8_t *lines;         /* owned; the line of each cell, 1 for the first one; 0: empty */
};

/* Makes an empty one; at most 10,000 cells in each direction. */
void canvas_init(struct canvas *canvas, unsigned columns, unsigned rows, bool ascii, bool color);
/* For cleanup_(canvas_done). */
void canvas_done(struct canvas *canvas);

/* Sets the dots from one place to another, both included; those outside the field are left out. @line is its number, from
 * 0 on, which decides over colours: a cell has the colour of its first line. Lines after the first one are dotted in
 * braille. */
void canvas_line(struct canvas *canvas, unsigned line, long x0, long y0, long x1, long y1);

/* Appends a row of cells, from 0 at the top on, without blanks at the end. */
void canvas_add_row(const struct canvas *canvas, unsigned row, struct strbuf *out);

/* Appends how a line looks in the legend, @text in its colour. */
void canvas_add_legend(bool ascii, bool color, unsigned line, const char *text, struct strbuf *out);
