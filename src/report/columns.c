// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/columns.h"

#include "compare/rows.h"

/* clang-format off */
enum { SHOW = 1, COMPARE = 2, BOTH = SHOW | COMPARE };

const struct column_desc column_table[COLUMN_COUNT] = {
#define COLUMN(id_, name_, heading_, commands_, leaves_, text_) \
	[COLUMN_##id_] = {name_, heading_, text_, ((commands_) & SHOW) != 0, ((commands_) & COMPARE) != 0, leaves_},
#include "columns.def"
};

const struct display_desc display_table[] = {
#define DISPLAY(name_, text_, ...) \
	{name_, text_, sizeof((const uint8_t[]){__VA_ARGS__}), {__VA_ARGS__}},
#include "columns.def"
};
/* clang-format on */
const size_t display_count = ARRAY_SIZE(display_table);

void column_list_add(struct column_list *list, enum report_column column)
{
	if (list->count < COLUMNS_MAX)
		list->columns[list->count++] = (uint8_t)column;
}

bool column_list_has(const struct column_list *list, enum report_column column)
{
	for (unsigned i = 0; i < list->count; i++)
		if (list->columns[i] == column)
			return true;
	return false;
}

bool column_is_of_process(enum report_column column)
{
	return column >= COLUMN_ppid && column <= COLUMN_start;
}

bool column_is_spread(enum report_column column)
{
	return column >= COLUMN_p50 && column <= COLUMN_variation;
}

void column_list_default(struct column_list *list, unsigned sides,
                         const struct display_desc *display, bool spread, bool of_processes)
{
	*list = (struct column_list){0};
	column_list_add(list, COLUMN_group);
	column_list_add(list, COLUMN_threads);
	for (unsigned i = COLUMN_ppid; of_processes && i <= COLUMN_start; i++)
		column_list_add(list, (enum report_column)i);
	column_list_add(list, COLUMN_metric);
	if (sides == 1)
		column_list_add(list, COLUMN_value);
	for (unsigned i = 0; sides == SIDE_MAX && i < display->count; i++)
		column_list_add(list, (enum report_column)display->columns[i]);
	for (unsigned i = COLUMN_p50; spread && i <= COLUMN_variation; i++)
		column_list_add(list, (enum report_column)i);
}

void column_list_machine(struct column_list *list, unsigned sides, bool spread, bool of_processes)
{
	static const uint8_t columns[] = {COLUMN_group,          COLUMN_threads,  COLUMN_metric,
	                                  COLUMN_section,        COLUMN_unit,     COLUMN_type,
	                                  COLUMN_value,          COLUMN_baseline, COLUMN_candidate,
	                                  COLUMN_delta,          COLUMN_percent,  COLUMN_impact,
	                                  COLUMN_coverage,       COLUMN_seen,     COLUMN_partial,
	                                  COLUMN_missing_inputs, COLUMN_marks};

	*list = (struct column_list){0};
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct column_desc *desc = &column_table[columns[i]];

		if (sides == 1 ? desc->in_show : desc->in_compare)
			column_list_add(list, (enum report_column)columns[i]);
	}
	for (unsigned i = COLUMN_ppid; of_processes && i <= COLUMN_start; i++)
		column_list_add(list, (enum report_column)i);
	for (unsigned i = COLUMN_p50; spread && i <= COLUMN_variation; i++)
		column_list_add(list, (enum report_column)i);
	/* Names that a release had keep their place: new ones come last. */
	if (sides == SIDE_MAX)
		column_list_add(list, COLUMN_comparison);
}
