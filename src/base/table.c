// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "ctprof/base/macro.h"

enum {
	SHRUNK_MIN = 12,
	READABLE = 16,  /* columns leave before names are cut to less than this */
	TEXT_MIN = 5,   /* an escape and an ellipsis */
	INDENT_PART = 3 /* of a terminal: columns leave for an indent up to this part of it */
};

static const char *const color_codes[COLOR_COUNT] = {
        [COLOR_NONE] = "",
        [COLOR_HEADING] = "\033[1m",
        [COLOR_MORE] = "\033[33m",
        [COLOR_LESS] = "\033[35m",
        [COLOR_MUCH_MORE] = "\033[1;33m",
        [COLOR_MUCH_LESS] = "\033[1;35m",
        [COLOR_GOOD] = "\033[32m",
        [COLOR_FAIR] = "\033[33m",
        [COLOR_POOR] = "\033[1;31m",
};
static const char color_reset[] = "\033[0m";

static const char *ellipsis_of(const struct table_style *style)
{
	return style->ascii ? "~" : "…";
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
	size_t pos; /* the part of the text that is printed already */
	/* Blanks before each of its lines, from its depth in a tree, which can be deeper than a column is wide. */
	size_t indent, indent_max;
	size_t deepest; /* the blanks before the deepest text of its column */
	bool left;      /* its column is not printed */
};

struct printing {
	FILE *file;
	const struct table_style *style;
	const struct table_column *columns;
	unsigned column_count;
	table_heading_function *heading; /* may be NULL */
	size_t *widths;
	struct cell *cells;      /* of one row */
	struct table_heading at; /* of the row, if it is a heading; its text is the first cell's */
};

/* The part of a text on one line. */
struct piece {
	const char *bytes;
	size_t len, width;
	bool cut; /* an ellipsis follows */
};

static bool is_one_of(const char *characters, char c)
{
	return c != '\0' && strchr(characters, c);
}

/* Returns the last place up to @full to break a text: before a blank, or behind one of @behind; 0 if there is none. */
static size_t last_break(const char *bytes, size_t len, size_t full, const char *behind)
{
	size_t start = 0, at = full;

	/* A '/' alone would be another path. */
	while (start < full && is_one_of(" /_-", bytes[start]))
		start++;
	while (at > start && !(at < len && bytes[at] == ' ') &&
	       /* Combining characters stay with the '/'. */
	       !(is_one_of(behind, bytes[at - 1]) && text_prefix(bytes + at, len - at, 0) == 0))
		at--;
	return at > start ? at : 0;
}

/* Returns the place to break a text that is wider than @room: behind a word or a '/', else inside a name, else where
 * the line is full. */
static size_t break_of(const char *bytes, size_t len, size_t room)
{
	size_t full = text_prefix_escaped(bytes, len, room), at;

	/* Nothing fits: one character exceeds the room. */
	for (; full == 0; room++)
		full = text_prefix_escaped(bytes, len, room);
	at = last_break(bytes, len, full, "/");
	if (at == 0)
		at = last_break(bytes, len, full, "_-");
	return at > 0 ? at : full;
}

/* Returns the part of the text from @pos on that fits into @room columns, and moves @pos behind it. The part is whole,
 * cut or continued. */
static struct piece next_piece(const struct strbuf *text, size_t *pos, size_t room, bool wrap)
{
	struct piece piece = {.bytes = strbuf_str(text) + *pos, .len = text->len - *pos};

	if (!text_is_wider(piece.bytes, piece.len, room)) {
		piece.width = text_width(piece.bytes, piece.len);
		*pos = text->len;
		return piece;
	}
	piece.cut = !wrap;
	if (piece.cut) {
		piece.len = text_prefix_escaped(piece.bytes, piece.len, room - 1);
		*pos = text->len;
	} else {
		piece.len = break_of(piece.bytes, piece.len, room);
		*pos += piece.len;
		while (*pos < text->len && text->data[*pos] == ' ')
			(*pos)++;
		while (piece.len > 0 && piece.bytes[piece.len - 1] == ' ')
			piece.len--;
	}
	piece.width = text_width(piece.bytes, piece.len) + piece.cut;
	return piece;
}

/* Prints a line of the row whose cells are filled in. Returns whether there is another line. */
static bool print_line(struct printing *printing)
{
	size_t blanks =
	        0; /* to be printed before the next text, so that no line ends with blanks */
	bool more = false;

	for (unsigned c = 0; c < printing->column_count; c++) {
		struct cell *cell = &printing->cells[c];
		size_t room = printing->widths[c] - cell->indent;
		bool right = printing->columns[c].right;
		struct piece piece;

		if (cell->left)
			continue;
		piece = next_piece(&cell->text, &cell->pos, room, printing->style->wrap);
		blanks += (c > 0) + cell->indent + (right ? room - piece.width : 0);
		if (piece.len > 0) {
			print_blanks(printing->file, blanks);
			blanks = 0;
			print_bytes(printing->file, printing->style, cell->color, piece.bytes,
			            piece.len);
		}
		if (piece.cut)
			fputs(ellipsis_of(printing->style), printing->file);
		blanks += right ? 0 : room - piece.width;
		more = more || cell->pos < cell->text.len;
	}
	putc('\n', printing->file);
	return more;
}

static void print_row(struct printing *printing)
{
	for (unsigned c = 0; c < printing->column_count; c++) {
		struct cell *cell = &printing->cells[c];

		while (cell->pos < cell->text.len && cell->text.data[cell->pos] == ' ')
			cell->pos++;
		cell->indent = cell->pos < cell->indent_max ? cell->pos : cell->indent_max;
	}
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

/* The text is complete: it becomes what the terminal can show. */
static void end_cell(struct printing *printing, unsigned column)
{
	if (printing->style->ascii)
		text_make_ascii(&printing->cells[column].text);
}

static bool is_heading(struct printing *printing, size_t row, void *context)
{
	printing->at = (struct table_heading){0};
	if (!printing->heading ||
	    !printing->heading(context, row, &printing->at, start_cell(printing, 0)))
		return false;
	end_cell(printing, 0);
	return true;
}

static void print_heading(struct printing *printing)
{
	const struct strbuf *text = &printing->cells[0].text;
	size_t width = printing->style->width, indent = printing->at.indent, pos = 0;

	/* A tree can be deeper than a terminal is wide. */
	if (width > 0 && indent > width / 2)
		indent = width / 2;
	do {
		struct piece piece = next_piece(text, &pos, width > 0 ? width - indent : SIZE_MAX,
		                                printing->style->wrap);

		print_blanks(printing->file, indent);
		print_bytes(printing->file, printing->style, printing->at.color, piece.bytes,
		            piece.len);
		fputs(piece.cut ? ellipsis_of(printing->style) : "", printing->file);
		putc('\n', printing->file);
	} while (pos < text->len);
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
			size_t width, indent;

			cell(context, row, c, text);
			end_cell(printing, c);
			width = text_width(strbuf_str(text), text->len);
			if (width > printing->widths[c])
				printing->widths[c] = width;
			indent = strspn(strbuf_str(text), " ");
			if (indent > printing->cells[c].deepest)
				printing->cells[c].deepest = indent;
		}
	}
}

static void shrink_column(struct printing *printing, unsigned column, size_t by)
{
	printing->widths[column] -= by;
	printing->cells[column].indent_max = printing->widths[column] - TEXT_MIN;
}

/* Removes @excess columns from those that are cut, the first one first. Returns those that are still too many. */
static size_t shrink_in_turn(struct printing *printing, size_t excess)
{
	for (unsigned c = 0; c < printing->column_count && excess > 0; c++) {
		size_t width = printing->widths[c], gives;

		if (printing->columns[c].shrinks != SHRINKS_ALWAYS || width <= SHRUNK_MIN)
			continue;
		gives = width - SHRUNK_MIN < excess ? width - SHRUNK_MIN : excess;
		shrink_column(printing, c, gives);
		excess -= gives;
	}
	return excess;
}

/* Removes them from the columns of one kind, always from the widest one: that gives the fewest lines if they are
 * continued below. Returns the columns that are still too many. */
static size_t shrink_evenly(struct printing *printing, size_t excess, enum table_shrink shrinks)
{
	for (; excess > 0; excess--) {
		unsigned widest = printing->column_count;

		for (unsigned c = 0; c < printing->column_count; c++)
			if (printing->columns[c].shrinks == shrinks &&
			    printing->widths[c] > (widest < printing->column_count
			                                   ? printing->widths[widest]
			                                   : SHRUNK_MIN))
				widest = c;
		if (widest == printing->column_count)
			break;
		shrink_column(printing, widest, 1);
	}
	return excess;
}

/* Returns the width that the column can be cut to, or continued in, and be read. In a tree, the deepest name can be read,
 * too, unless its indent alone takes the terminal. */
static size_t width_needed(const struct printing *printing, unsigned column)
{
	enum table_shrink shrinks = printing->columns[column].shrinks;
	size_t width = printing->widths[column], indent = printing->cells[column].deepest;
	size_t least = printing->style->wrap       ? shrinks == SHRINKS_NEVER ? width : SHRUNK_MIN
	               : shrinks == SHRINKS_ALWAYS ? READABLE
	                                           : width;

	if (indent > printing->style->width / INDENT_PART)
		indent = printing->style->width / INDENT_PART;
	return width < least + indent ? width : least + indent;
}

/* Lets columns leave until the others fit. Returns what those need that stay, with the blanks between them. */
static size_t leave(struct printing *printing)
{
	for (;;) {
		size_t total = 0, needed = 0;
		unsigned next = printing->column_count;

		for (unsigned c = 0; c < printing->column_count; c++) {
			unsigned leaves = printing->columns[c].leaves;

			if (printing->cells[c].left)
				continue;
			total += printing->widths[c] + 1;
			needed += width_needed(printing, c) + 1;
			if (leaves > 0 && (next == printing->column_count ||
			                   leaves < printing->columns[next].leaves))
				next = c;
		}
		if (needed <= printing->style->width + 1 || next == printing->column_count)
			return total - 1;
		printing->cells[next].left = true;
	}
}

static void shrink(struct printing *printing)
{
	size_t total, width = printing->style->width, excess;

	for (unsigned c = 0; c < printing->column_count; c++)
		printing->cells[c].indent_max = SIZE_MAX;
	if (width == 0)
		return;
	total = leave(printing);
	if (total <= width)
		return;
	excess = total - width;
	/* A row that a terminal breaks is worse than a name without its end. */
	excess = printing->style->wrap ? shrink_evenly(printing, excess, SHRINKS_ALWAYS)
	                               : shrink_in_turn(printing, excess);
	shrink_evenly(printing, excess, SHRINKS_WRAPPED);
}

/* Returns whether Markdown gives the character a meaning. An underscore inside a word has none. */
static bool is_markup(const char *bytes, size_t len, size_t at)
{
	if (bytes[at] != '_')
		return strchr("\\`*[]<>|#~&", bytes[at]) != NULL;
	return at == 0 || at + 1 == len || !isalnum((unsigned char)bytes[at - 1]) ||
	       !isalnum((unsigned char)bytes[at + 1]);
}

static void print_markdown_cell(FILE *file, const struct strbuf *text)
{
	const char *bytes = strbuf_str(text);
	bool leads = true;

	fputs("| ", file);
	for (size_t i = 0; i < text->len; i++) {
		/* Blanks at the start show the place in a tree. */
		leads = leads && bytes[i] == ' ';
		if (leads) {
			fputs("&nbsp;", file);
			continue;
		}
		if (is_markup(bytes, text->len, i))
			putc('\\', file);
		putc(bytes[i], file);
	}
	putc(' ', file);
}

static void print_markdown_row(struct printing *printing)
{
	for (unsigned c = 0; c < printing->column_count; c++)
		print_markdown_cell(printing->file, &printing->cells[c].text);
	fputs("|\n", printing->file);
}

/* Begins a row whose other cells are empty, for a heading between rows. */
static void start_markdown_heading(struct printing *printing)
{
	struct strbuf *text = &printing->cells[0].text;
	cleanup_(strbuf_done) struct strbuf heading = STRBUF_INIT;

	strbuf_add(&heading, strbuf_str(text), text->len);
	strbuf_clear(text);
	for (unsigned i = 0; i < printing->at.indent; i++)
		strbuf_add_char(text, ' ');
	strbuf_add(text, strbuf_str(&heading), heading.len);
	for (unsigned c = 1; c < printing->column_count; c++)
		start_cell(printing, c);
}

static void print_markdown(struct printing *printing, size_t row_count, table_cell_function *cell,
                           void *context)
{
	for (unsigned c = 0; c < printing->column_count; c++)
		strbuf_add_str(start_cell(printing, c), printing->columns[c].heading);
	print_markdown_row(printing);
	for (unsigned c = 0; c < printing->column_count; c++)
		fputs(printing->columns[c].right ? "| ---: " : "| --- ", printing->file);
	fputs("|\n", printing->file);
	for (size_t row = 0; row < row_count && !ferror(printing->file); row++) {
		if (is_heading(printing, row, context))
			start_markdown_heading(printing);
		else
			for (unsigned c = 0; c < printing->column_count; c++)
				cell(context, row, c, start_cell(printing, c));
		print_markdown_row(printing);
	}
}

static void print_plain(struct printing *printing, size_t row_count, table_cell_function *cell,
                        void *context)
{
	measure(printing, row_count, cell, context);
	shrink(printing);
	for (unsigned c = 0; c < printing->column_count; c++) {
		strbuf_add_str(start_cell(printing, c), printing->columns[c].heading);
		printing->cells[c].color = COLOR_HEADING;
	}
	print_row(printing);
	for (size_t row = 0; row < row_count && !ferror(printing->file); row++) {
		if (is_heading(printing, row, context)) {
			print_heading(printing);
			continue;
		}
		for (unsigned c = 0; c < printing->column_count; c++) {
			printing->cells[c].color = cell(context, row, c, start_cell(printing, c));
			end_cell(printing, c);
		}
		print_row(printing);
	}
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
	if (style->markdown)
		print_markdown(&printing, row_count, cell, context);
	else
		print_plain(&printing, row_count, cell, context);
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

void table_print_text(FILE *file, const struct table_style *style, struct strbuf *text)
{
	const char *bytes = strbuf_str(text);
	size_t len = text->len;

	if (!style->markdown) {
		if (style->ascii)
			text_make_ascii(text);
		text_print_lines(file, text, style->width);
		return;
	}
	while (len > 0 && bytes[len - 1] == '\n')
		len--;
	if (len > 0)
		fprintf(file, "```\n%.*s\n```\n\n", (int)len, bytes);
}
