/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-facts - the code that the tables below the first one share: it makes lines of rows, up to the limit. */
#include "facts/fact-derive.h"
#include "report/report-text.h"

enum { WIDE_COLUMNS_MAX = (int)FACT_ID_DERIVED + (int)FACT_DERIVED_COUNT };

/* A line of a table: one row, or several rows side by side. */
struct fact_line {
	const struct fact_row *rows;
	size_t count;
};

/* A column of a wide table; in a table of pressure the id counts from the line's first value. */
struct wide_column {
	const char *heading;
	unsigned id;
};

struct facts_context {
	const struct report *report;
	enum metric_section section;
	struct fact_line *lines;
	size_t line_count;
	size_t line_capacity;
	size_t left_out; /* groups or lines that the limit cuts off */
	struct wide_column columns[WIDE_COLUMNS_MAX];
	unsigned column_count;
	bool partial; /* a cell of a wide table is marked as such */
};

void facts_add_line(struct facts_context *context, const struct fact_row *rows, size_t count);

/* Returns whether the limit of @printed groups or lines is reached. */
bool facts_is_full(const struct facts_context *context, size_t printed);

/* Returns the end of the rows that belong to the same group as the one at @start. */
size_t facts_group_end(const struct fact_row *rows, size_t start, size_t count);

/* Returns the line's row of that id, or NULL. */
const struct fact_row *facts_row_with(const struct fact_line *line, unsigned id);

/* Appends the value of a side, with its divisor: "3.500ms/s", "max", "-". */
void facts_add_cell(const struct fact_row *row, unsigned side, struct strbuf *out);

/* Appends the difference, or "same" and "differs" for texts. Returns the colour of the cell. */
enum table_color facts_add_delta(const struct fact_row *row, struct strbuf *out);

/* Appends both sides in one cell: "A → B (+D)", or "A" if they are equal. */
enum table_color facts_add_sides(const struct fact_row *row, unsigned sides, struct strbuf *out);

/* Prints "## Heading", or "## Heading / part", with a blank line before it. */
void facts_print_heading(FILE *file, const struct report *report, const char *heading,
                         const char *part);

/* Prints how many the limit cuts off, if any. */
void facts_print_left_out(FILE *file, const struct facts_context *context);

/* Prints a table for each resource that any group waited for. */
void facts_print_pressure(FILE *file, struct facts_context *context, const struct fact_row *rows,
                          size_t count);
