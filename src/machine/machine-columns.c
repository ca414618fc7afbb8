// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "machine-value.h"

/* Returns whether a column has a value for each side. */
static bool is_sided(enum report_column column)
{
	switch (column) {
	case COLUMN_threads:
	case COLUMN_coverage:
	case COLUMN_seen:
	case COLUMN_partial:
	case COLUMN_missing_inputs:
	case COLUMN_mean:
	case COLUMN_error:
	case COLUMN_uptime:
		return true;
	default:
		return column_is_spread(column) || column_is_of_process(column);
	}
}

static void add(struct machine_columns *list, const char *name, const char *suffix,
                struct machine_column column)
{
	char *into = list->names[list->count];

	snprintf(into, sizeof(list->names[0]), "%s%s", name, suffix);
	list->columns[list->count++] = column;
}

/* Adds the label of the group, and with several keys a column for each of them. */
static void add_group(struct machine_columns *list, const struct group_by *by)
{
	struct machine_column column = {COLUMN_group, SIDE_MAX, MACHINE_LABEL};

	add(list, "group", "", column);
	if (by->count < 2)
		return;
	for (unsigned key = 0; key < by->count; key++) {
		column.key = (uint8_t)key;
		add(list, group_key_table[by->keys[key]].column, "", column);
	}
	if (!group_by_has(by, GROUP_KEY_cgroup))
		return;
	column.key = MACHINE_RENAMED;
	add(list, "renamed", "", column);
}

static void add_sided(struct machine_columns *list, enum report_column column, unsigned sides)
{
	static const char *const suffixes[SIDE_MAX] = {"_baseline", "_candidate"};

	for (unsigned side = 0; side < sides; side++)
		add(list, column_table[column].name, sides == 1 ? "" : suffixes[side],
		    (struct machine_column){column, (uint8_t)side, 0});
}

static void add_column(struct machine_columns *list, const struct report *report,
                       enum report_column column)
{
	struct machine_column plain = {column, SIDE_MAX, 0};

	if (column == COLUMN_group) {
		add_group(list, &report->rows->by);
	} else if (is_sided(column)) {
		add_sided(list, column, report->rows->sides);
	} else if (column == COLUMN_percent) {
		add(list, "percent", "", plain);
	} else if (column == COLUMN_arrow) {
		plain.column = COLUMN_baseline;
		add(list, "baseline", "", plain);
		plain.column = COLUMN_candidate;
		add(list, "candidate", "", plain);
	} else if (column != COLUMN_SORTED) {
		add(list, column_table[column].name, "", plain);
	}
}

void machine_columns_of(const struct report *report, struct machine_columns *ret)
{
	ret->count = 0;
	for (unsigned i = 0; i < report->columns.count; i++)
		add_column(ret, report, (enum report_column)report->columns.columns[i]);
}
