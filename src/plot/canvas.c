// SPDX-License-Identifier: GPL-2.0-or-later
#include "canvas.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { BRAILLE_BLANK = 0x2800 };

static const char *const color_starts[CANVAS_LINES] = {"\x1b[36m", "\x1b[33m", "\x1b[35m",
                                                       "\x1b[32m"};
static const char color_end[] = "\x1b[0m";
/* Signs of lines in ASCII after the first one. */
static const char ascii_marks[CANVAS_LINES] = {'\0', 'o', 'x', '+'};

void canvas_init(struct canvas *canvas, unsigned columns, unsigned rows, bool ascii, bool color)
{
	*canvas = (struct canvas){.ascii = ascii, .color = color, .columns = columns, .rows = rows};
	canvas->width = columns * (ascii ? 1 : 2);
	canvas->height = rows * (ascii ? 2 : 4);
	canvas->dots = mem_calloc((size_t)columns * rows + 1, 1);
	canvas->lines = mem_calloc((size_t)columns * rows + 1, 1);
}

void canvas_done(struct canvas *canvas)
{
	free(canvas->dots);
	free(canvas->lines);
	*canvas = (struct canvas){0};
}

/* Returns the bit of a dot of a cell, whose places count from the top left one. */
static uint8_t bit_of(const struct canvas *canvas, unsigned x, unsigned y)
{
	/* Unicode numbers the first three rows before the last one. */
	static const uint8_t braille[4][2] = {
	        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

	return canvas->ascii ? (uint8_t)(1 << y) : braille[y][x];
}

static void set_dot(struct canvas *canvas, unsigned line, long x, long y)
{
	unsigned across = canvas->ascii ? 1 : 2, down = canvas->ascii ? 2 : 4, from_top;
	size_t cell;

	if (x < 0 || y < 0 || x >= (long)canvas->width || y >= (long)canvas->height)
		return;
	if (!canvas->ascii && line > 0 && (x + y) % (long)(line + 1) != 0)
		return;
	from_top = canvas->height - 1 - (unsigned)y;
	cell = (size_t)(from_top / down) * canvas->columns + (unsigned)x / across;
	canvas->dots[cell] |= bit_of(canvas, (unsigned)x % across, from_top % down);
	if (canvas->lines[cell] == 0 || canvas->lines[cell] > line + 1)
		canvas->lines[cell] = (uint8_t)(line + 1);
}

/* Bresenham's algorithm. */
void canvas_line(struct canvas *canvas, unsigned line, long x0, long y0, long x1, long y1)
{
	long dx = labs(x1 - x0), dy = -labs(y1 - y0), error = dx + dy, twice;
	long sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1;

	for (;;) {
		set_dot(canvas, line, x0, y0);
		if (x0 == x1 && y0 == y1)
			return;
		twice = 2 * error;
		if (twice >= dy) {
			error += dy;
			x0 += sx;
		}
		if (twice <= dx) {
			error += dx;
			y0 += sy;
		}
	}
}

static void add_braille(struct strbuf *out, uint8_t dots)
{
	unsigned code = BRAILLE_BLANK + dots;

	strbuf_add_char(out, (char)(0xe0 | (code >> 12)));
	strbuf_add_char(out, (char)(0x80 | ((code >> 6) & 0x3f)));
	strbuf_add_char(out, (char)(0x80 | (code & 0x3f)));
}

static void add_cell(const struct canvas *canvas, size_t cell, struct strbuf *out)
{
	static const char signs[4] = {' ', '\'', '.', ':'};
	uint8_t dots = canvas->dots[cell], line = canvas->lines[cell];

	if (dots == 0)
		strbuf_add_char(out, ' ');
	else if (!canvas->ascii)
		add_braille(out, dots);
	else
		strbuf_add_char(out, line > 1 ? ascii_marks[line - 1] : signs[dots & 3]);
}

void canvas_add_row(const struct canvas *canvas, unsigned row, struct strbuf *out)
{
	size_t first = (size_t)row * canvas->columns, end = first + canvas->columns;
	uint8_t current = 0;

	while (end > first && canvas->dots[end - 1] == 0)
		end--;
	for (size_t cell = first; cell < end; cell++) {
		uint8_t line = canvas->lines[cell];

		if (canvas->color && line != current) {
			if (current > 0)
				strbuf_add_str(out, color_end);
			if (line > 0)
				strbuf_add_str(out, color_starts[line - 1]);
			current = line;
		}
		add_cell(canvas, cell, out);
	}
	if (current > 0 && canvas->color)
		strbuf_add_str(out, color_end);
}

void canvas_add_legend(bool ascii, bool color, unsigned line, const char *text, struct strbuf *out)
{
	/* Two cells of each line. */
	static const char *const braille[CANVAS_LINES] = {"\u2824\u2824", "\u2804\u2804",
	                                                  "\u2820\u2804", "\u2804 "};
	static const char *const signs[CANVAS_LINES] = {".'", "oo", "xx", "++"};

	if (color)
		strbuf_add_str(out, color_starts[line]);
	strbuf_addf(out, "%s %s", ascii ? signs[line] : braille[line], text);
	if (color)
		strbuf_add_str(out, color_end);
}
