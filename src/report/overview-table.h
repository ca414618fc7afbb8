/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* overview-table - the cells of the overview and the lines around them, for whoever prints them in another form than a table of
 * text. All texts are safe to print. */
#include "overview/overview.h"
#include "report/report.h"

enum { OVERVIEW_GROUP = ASPECT_COUNT, OVERVIEW_COLUMNS = ASPECT_COUNT + 1 };

/* The marks behind values that have a line below the table. */
struct overview_marks {
	bool partial;      /* a value lacks some threads */
	bool began_before; /* waits began before the window; the value has their part inside */
};

struct overview_table {
	const struct report *report; /* borrowed, as the overview */
	const struct overview *overview;
	size_t shown;       /* rows that the report's limit leaves */
	size_t group_width; /* that the column of groups can have; 0: any */
	char group_heading[GROUP_KEYS_MAX * 64];
	unsigned count;
	unsigned columns[OVERVIEW_COLUMNS]; /* aspects, or OVERVIEW_GROUP */
	bool is_reason[ASPECT_COUNT];       /* one of the first rows has its place by the aspect */
};

/* Chooses the columns: those that the width of the report's style has room for, and all that have values if it is 0. */
void overview_table_init(struct overview_table *table, const struct report *report);

/* Returns the heading of a column. */
const char *overview_table_heading(const struct overview_table *table, unsigned column);

/* Appends the cell of a row, which may be one that the limit cuts off; @table is a struct overview_table. Returns its
 * colour. */
enum table_color overview_table_cell(void *table, size_t row, unsigned column, struct strbuf *out);

/* Returns the marks of the cells. */
struct overview_marks overview_table_marks(struct overview_table *table);

/* Appends an amount of the aspect in three digits or so; nothing for 0. */
void overview_add_amount(const struct overview *overview, unsigned aspect, double amount,
                         struct strbuf *out);

/* Append the lines above the overview: what is compared, what matters about trust, what was set; and the lines below it. */
void report_add_overview_top(const struct report *report, struct strbuf *out);
void report_add_overview_foot(const struct report *report, struct overview_marks marks,
                              struct strbuf *out);
