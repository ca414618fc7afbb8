/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* columns - the columns of a report's rows, and the lists of those to print. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/base/macro.h"

enum report_column {
#define COLUMN(id_, ...) COLUMN_##id_,
#include "columns.def"
	COLUMN_COUNT,
	COLUMN_SORTED = COLUMN_COUNT, /* the sort key of the groups; has no name */
};

enum { COLUMNS_MAX = COLUMN_COUNT + 1, DISPLAY_COLUMNS_MAX = 4 };

struct column_desc {
	const char *name;
	const char *heading;
	const char *description;
	bool in_show;
	bool in_compare;
	unsigned leaves; /* as table_column has it */
};
extern const struct column_desc column_table[COLUMN_COUNT];

struct display_desc {
	const char *name;
	const char *description;
	unsigned count;
	uint8_t columns[DISPLAY_COLUMNS_MAX];
};
extern const struct display_desc display_table[];
extern const size_t display_count;

struct column_list {
	unsigned count;
	uint8_t columns[COLUMNS_MAX]; /* enum report_column */
	bool chosen;                  /* by name: a table has all of them, however wide it is */
};

void column_list_add(struct column_list *list, enum report_column column);
bool column_list_has(const struct column_list *list, enum report_column column);

/* Fills the columns of a table for one side or two: those of the display, which is NULL in show, those of a
 * distribution, and those about single processes. */
void column_list_default(struct column_list *list, unsigned sides,
                         const struct display_desc *display, bool spread, bool of_processes);

/* Fills the columns of the machine formats. */
void column_list_machine(struct column_list *list, unsigned sides, bool spread, bool of_processes);

/* Returns whether a column is about the group's only process. */
bool column_is_of_process(enum report_column column);

/* Returns whether a column is about the distribution inside a group. */
bool column_is_spread(enum report_column column);
