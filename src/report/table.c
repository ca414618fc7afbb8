// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/table.h"

#include <stdlib.h>
#include <string.h>

#include "ctprof/macro.h"
#include "ctprof/mem.h"
#include "ctprof/text.h"

enum { SHRUNK_MIN = 12 };

static const char *const color_codes[] = {
        [COLOR_NONE] = "",
        [COLOR_HEADING] = "\033[36m",
        [COLOR_MORE] = "\033[33m",
        [COLOR_LESS] = "\033[35m",
};
static const char color_reset[] = "\033[0m";
static const char ellipsis[] = "…";

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

struct printing {
	FILE *file;
	const struct table_style *style;
	const struct table_column *columns;
	unsigned column_count;
	size_t *widths;
	struct strbuf text;
};

static void print_cell(struct printing *printing, unsigned column, enum table_color color)
{
	const struct table_column *desc = &printing->columns[column];
	const char *bytes = strbuf_str(&printing->text);
	size_t len = printing->text.len, room = printing->widths[column];
	size_t width = text_width(bytes, len);
	size_t blanks;

	if (width > room) {
		len = text_prefix(bytes, len, room - 1);
		width = text_width(bytes, len) + 1;
	}
	blanks = room - width;
	if (column > 0)
		putc(' ', printing->file);
	if (desc->right)
		print_blanks(printing->file, blanks);
	print_bytes(printing->file, printing->style, color, bytes, len);
	if (len < printing->text.len)
		fputs(ellipsis, printing->file);
	/* Nothing trails the last cell of a line. */
	if (!desc->right && column + 1 < printing->column_count)
		print_blanks(printing->file, blanks);
	if (column + 1 == printing->column_count)
		putc('\n', printing->file);
}

static void measure(struct printing *printing, size_t row_count, table_cell_function *cell,
                    void *context)
{
	for (unsigned c = 0; c < printing->column_count; c++)
		printing->widths[c] = text_width(printing->columns[c].heading,
		                                 strlen(printing->columns[c].heading));
	for (size_t row = 0; row < row_count; row++)
		for (unsigned c = 0; c < printing->column_count; c++) {
			size_t width;

			strbuf_clear(&printing->text);
			cell(context, row, c, &printing->text);
			width = text_width(strbuf_str(&printing->text), printing->text.len);
			if (width > printing->widths[c])
				printing->widths[c] = width;
		}
}

/* Takes what is too much for the terminal from the columns that can give it, the first one first. */
static void shrink(struct printing *printing)
{
	size_t total = printing->column_count - 1;

	for (unsigned c = 0; c < printing->column_count; c++)
		total += printing->widths[c];
	if (printing->style->width == 0)
		return;
	for (unsigned c = 0; c < printing->column_count && total > printing->style->width; c++) {
		size_t excess = total - printing->style->width, width = printing->widths[c], gives;

		if (!printing->columns[c].shrinks || width <= SHRUNK_MIN)
			continue;
		gives = width - SHRUNK_MIN < excess ? width - SHRUNK_MIN : excess;
		printing->widths[c] -= gives;
		total -= gives;
	}
}

void table_print(FILE *file, const struct table_style *style, const struct table_column *columns,
                 unsigned column_count, size_t row_count, table_cell_function *cell, void *context)
{
	struct printing printing = {
	        .file = file, .style = style, .columns = columns, .column_count = column_count};

	printing.widths = mem_calloc(column_count, sizeof(printing.widths[0]));
	measure(&printing, row_count, cell, context);
	shrink(&printing);
	for (unsigned c = 0; c < column_count; c++) {
		strbuf_clear(&printing.text);
		strbuf_add_str(&printing.text, columns[c].heading);
		print_cell(&printing, c, COLOR_HEADING);
	}
	for (size_t row = 0; row < row_count && !ferror(file); row++)
		for (unsigned c = 0; c < column_count; c++) {
			enum table_color color;

			strbuf_clear(&printing.text);
			color = cell(context, row, c, &printing.text);
			print_cell(&printing, c, color);
		}
	strbuf_done(&printing.text);
	free(printing.widths);
}
