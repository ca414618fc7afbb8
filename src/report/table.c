// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/table.h"

#include <stdlib.h>
#include <string.h>

#include "ctprof/macro.h"
#include "ctprof/mem.h"
#include "ctprof/text.h"

enum { SHRUNK_MIN = 12 };

static const char *const color_codes[COLOR_COUNT] = {
        [COLOR_NONE] = "",
        [COLOR_HEADING] = "\033[36m",
        [COLOR_MORE] = "\033[33m",
        [COLOR_LESS] = "\033[35m",
        [COLOR_MUCH_MORE] = "\033[1;33m",
        [COLOR_MUCH_LESS] = "\033[1;35m",
        [COLOR_GOOD] = "\033[32m",
        [COLOR_FAIR] = "\033[33m",
        [COLOR_POOR] = "\033[1;31m",
        [COLOR_TOP] = "\033[1;32m",
        [COLOR_SECOND] = "\033[1;36m",
        [COLOR_DEEPER] = "\033[1;90m",
        [COLOR_PROCESS] = "\033[1;37m",
        [COLOR_DERIVED] = "\033[34m",
};
static const char color_reset[] = "\033[0m";
static const char ellipsis[] = "…";

enum table_color table_color_of_depth(unsigned depth)
{
	return depth == 0 ? COLOR_TOP : depth == 1 ? COLOR_SECOND : COLOR_DEEPER;
}

enum table_color table_color_of_share(double percent)
{
	return percent >= 75 ? COLOR_GOOD : percent >= 50 ? COLOR_FAIR : COLOR_POOR;
}

static void print_bytes(FILE *file, const struct table_style *style, enum table_color color,
                        const char *bytes, size_t len)
{
	bool colored = style->color && color != COLOR_NONE;

	if (colored)
		fputs(color_codes[color], file);
	fwrite(bytes, 1, len, file);
	if (colored)
		fputs(color_reset, file);
}

void table_print_colored(FILE *file, const struct table_style *style, enum table_color color,
                         const char *text)
{
	print_bytes(file, style, color, text, strlen(text));
}

static void print_blanks(FILE *file, size_t count)
{
	while (count-- > 0)
		putc(' ', file);
}

struct cell {
	struct strbuf text;
	enum table_color color;
	size_t pos; /* how much of the text is on lines that are printed */
};

struct printing {
	FILE *file;
	const struct table_style *style;
	const struct table_column *columns;
	unsigned column_count;
	table_heading_function *heading; /* may be NULL */
	size_t *widths;
	struct cell *cells; /* of one row */
	struct table_heading
	        at; /* of the row, where it is a heading; its text is the first cell's */
};

/* What one line has of a cell. */
struct piece {
	const char *bytes;
	size_t len, width;
	bool cut; /* an ellipsis follows */
};

/* Where to break a text that is wider than @room: behind a word or a '/', or where the line is full. */
static size_t break_of(const char *bytes, size_t len, size_t room)
{
	size_t full = text_prefix(bytes, len, room), indent = 0, at = full;

	/* A '/' alone would be another path. */
	while (indent < full && (bytes[indent] == ' ' || bytes[indent] == '/'))
		indent++;
	while (at > indent && !(at < len && bytes[at] == ' ') &&
	       /* What combines with the '/' stays with it. */
	       !(bytes[at - 1] == '/' && text_prefix(bytes + at, len - at, 0) == 0))
		at--;
	return at > indent ? at : full;
}

static struct piece take_piece(struct printing *printing, unsigned column)
{
	struct cell *cell = &printing->cells[column];
	size_t room = printing->widths[column];
	struct piece piece = {.bytes = strbuf_str(&cell->text) + cell->pos,
	                      .len = cell->text.len - cell->pos};

	piece.width = text_width(piece.bytes, piece.len);
	if (piece.width <= room) {
		cell->pos = cell->text.len;
		return piece;
	}
	piece.cut = !printing->style->wrap;
	if (piece.cut) {
		piece.len = text_prefix(piece.bytes, piece.len, room - 1);
		cell->pos = cell->text.len;
	} else {
		piece.len = break_of(piece.bytes, piece.len, room);
		cell->pos += piece.len;
		while (cell->pos < cell->text.len && cell->text.data[cell->pos] == ' ')
			cell->pos++;
		while (piece.len > 0 && piece.bytes[piece.len - 1] == ' ')
			piece.len--;
	}
	piece.width = text_width(piece.bytes, piece.len) + piece.cut;
	return piece;
}

/* Prints a line of the row whose cells are filled in. Returns whether there is to be another one. */
static bool print_line(struct printing *printing)
{
	size_t blanks = 0; /* still to come: nothing trails the last text of a line */
	bool more = false;

	for (unsigned c = 0; c < printing->column_count; c++) {
		struct piece piece = take_piece(printing, c);
		size_t padding = printing->widths[c] - piece.width;
		bool right = printing->columns[c].right;

		blanks += (c > 0) + (right ? padding : 0);
		if (piece.len > 0) {
			print_blanks(printing->file, blanks);
			blanks = 0;
			print_bytes(printing->file, printing->style, printing->cells[c].color,
			            piece.bytes, piece.len);
		}
		if (piece.cut)
			fputs(ellipsis, printing->file);
		blanks += right ? 0 : padding;
		more = more || printing->cells[c].pos < printing->cells[c].text.len;
	}
	putc('\n', printing->file);
	return more;
}

static void print_row(struct printing *printing)
{
	while (print_line(printing))
		;
}

static struct strbuf *start_cell(struct printing *printing, unsigned column)
{
	struct cell *cell = &printing->cells[column];

	strbuf_clear(&cell->text);
	cell->pos = 0;
	return &cell->text;
}

static bool is_heading(struct printing *printing, size_t row, void *context)
{
	printing->at = (struct table_heading){0};
	return printing->heading &&
	       printing->heading(context, row, &printing->at, start_cell(printing, 0));
}

static void print_heading(struct printing *printing)
{
	const struct strbuf *text = &printing->cells[0].text;
	size_t len = text->len, width = printing->style->width, indent = printing->at.indent;
	bool cut = false;

	if (width > 0) {
		/* A tree can be deeper than a terminal is wide. */
		indent = indent > width / 2 ? width / 2 : indent;
		cut = indent + text_width(strbuf_str(text), len) > width;
	}
	if (cut)
		len = text_prefix(strbuf_str(text), len, width - indent - 1);
	print_blanks(printing->file, indent);
	print_bytes(printing->file, printing->style, printing->at.color, strbuf_str(text), len);
	fputs(cut ? ellipsis : "", printing->file);
	putc('\n', printing->file);
}

static void measure(struct printing *printing, size_t row_count, table_cell_function *cell,
                    void *context)
{
	for (unsigned c = 0; c < printing->column_count; c++)
		printing->widths[c] = text_width(printing->columns[c].heading,
		                                 strlen(printing->columns[c].heading));
	for (size_t row = 0; row < row_count; row++) {
		if (is_heading(printing, row, context))
			continue;
		for (unsigned c = 0; c < printing->column_count; c++) {
			struct strbuf *text = start_cell(printing, c);
			size_t width;

			cell(context, row, c, text);
			width = text_width(strbuf_str(text), text->len);
			if (width > printing->widths[c])
				printing->widths[c] = width;
		}
	}
}

/* Takes @excess columns from those that are cut, the first one first. */
static void shrink_in_turn(struct printing *printing, size_t excess)
{
	for (unsigned c = 0; c < printing->column_count && excess > 0; c++) {
		size_t width = printing->widths[c], gives;

		if (printing->columns[c].shrinks != SHRINKS_ALWAYS || width <= SHRUNK_MIN)
			continue;
		gives = width - SHRUNK_MIN < excess ? width - SHRUNK_MIN : excess;
		printing->widths[c] -= gives;
		excess -= gives;
	}
}

/* Takes them from all that are continued below, always from the widest: so lines are fewest. */
static void shrink_evenly(struct printing *printing, size_t excess)
{
	for (; excess > 0; excess--) {
		size_t *widest = NULL;

		for (unsigned c = 0; c < printing->column_count; c++)
			if (printing->columns[c].shrinks != SHRINKS_NEVER &&
			    printing->widths[c] > (widest ? *widest : SHRUNK_MIN))
				widest = &printing->widths[c];
		if (!widest)
			return;
		(*widest)--;
	}
}

static void shrink(struct printing *printing)
{
	size_t total = printing->column_count - 1, width = printing->style->width;

	for (unsigned c = 0; c < printing->column_count; c++)
		total += printing->widths[c];
	if (width == 0 || total <= width)
		return;
	if (printing->style->wrap)
		shrink_evenly(printing, total - width);
	else
		shrink_in_turn(printing, total - width);
}

void table_print_tree(FILE *file, const struct table_style *style,
                      const struct table_column *columns, unsigned column_count, size_t row_count,
                      table_cell_function *cell, table_heading_function *heading, void *context)
{
	struct printing printing = {.file = file,
	                            .style = style,
	                            .columns = columns,
	                            .column_count = column_count,
	                            .heading = heading};

	printing.widths = mem_calloc(column_count, sizeof(printing.widths[0]));
	printing.cells = mem_calloc(column_count, sizeof(printing.cells[0]));
	measure(&printing, row_count, cell, context);
	shrink(&printing);
	for (unsigned c = 0; c < column_count; c++) {
		strbuf_add_str(start_cell(&printing, c), columns[c].heading);
		printing.cells[c].color = COLOR_HEADING;
	}
	print_row(&printing);
	for (size_t row = 0; row < row_count && !ferror(file); row++) {
		if (is_heading(&printing, row, context)) {
			print_heading(&printing);
			continue;
		}
		for (unsigned c = 0; c < column_count; c++)
			printing.cells[c].color = cell(context, row, c, start_cell(&printing, c));
		print_row(&printing);
	}
	for (unsigned c = 0; c < column_count; c++)
		strbuf_done(&printing.cells[c].text);
	free(printing.cells);
	free(printing.widths);
}

void table_print(FILE *file, const struct table_style *style, const struct table_column *columns,
                 unsigned column_count, size_t row_count, table_cell_function *cell, void *context)
{
	table_print_tree(file, style, columns, column_count, row_count, cell, NULL, context);
}
