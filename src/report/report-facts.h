/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-facts - what the tables below the first one have in common: rows become lines, as many as the limit
 * lets through. */
#include "facts/fact-derive.h"
#include "report-parts.h"

enum { WIDE_COLUMNS_MAX = (int)FACT_ID_DERIVED + (int)FACT_DERIVED_COUNT };

/* A line of a table: one row, or the rows that stand side by side. */
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
};

void facts_add_line(struct facts_context *context, const struct fact_row *rows, size_t count);

/* Returns whether the limit lets no more than the @printed groups or lines through. */
bool facts_is_full(const struct facts_context *context, size_t printed);

/* Returns where the rows end that belong to the same group as the one at @start. */
size_t facts_group_end(const struct fact_row *rows, size_t start, size_t count);

/* Returns the line's row of that id, or NULL. */
const struct fact_row *facts_row_with(const struct fact_line *line, unsigned id);

/* Appends the value of a side, with what it is per: "3.500ms/s", "max", "-". */
void facts_add_cell(const struct fact_row *row, unsigned side, struct strbuf *out);

/* Appends the difference, or "same" and "differs" of texts. Returns the colour of the cell. */
enum table_color facts_add_delta(const struct fact_row *row, struct strbuf *out);

/* Both sides in one cell: "A → B (+D)", or "A" if they are equal. */
enum table_color facts_add_sides(const struct fact_row *row, unsigned sides, struct strbuf *out);

/* "## Heading", or "## Heading / part", with a blank line before it. */
void facts_print_heading(FILE *file, const struct report *report, const char *heading,
                         const char *part);

/* How many the limit cuts off, if any. */
void facts_print_left_out(FILE *file, const struct facts_context *context);

/* A table for each resource that somebody waited for. */
void facts_print_pressure(FILE *file, struct facts_context *context, const struct fact_row *rows,
                          size_t count);
