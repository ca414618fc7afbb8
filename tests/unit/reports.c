// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports.h"

#include "base/mem.h"

int report_fixture_setup(void **state)
{
	static const char *const paths[SIDE_MAX] = {"a.zst", "b.zst"};
	struct report_fixture *fixture = mem_calloc(1, sizeof(*fixture));

	fixture->options = all_rows();
	fixture->report = (struct report){0};
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		group_table_init(&fixture->tables[side], group_by_key(GROUP_KEY_comm, false));
		fixture->infos[side].captured_at_unix_ns = UINT64_C(1700000000123456789);
		fixture->infos[side].captured_boottime_ns = 5000000000;
		fixture->infos[side].tally.threads = 7;
		fixture->infos[side].tally.processes = 3;
		fixture->report.sides[side] =
		        (struct report_side){paths[side], &fixture->infos[side], 0, NULL};
	}
	*state = fixture;
	return 0;
}

int report_fixture_teardown(void **state)
{
	struct report_fixture *fixture = *state;

	row_set_done(&fixture->rows);
	for (unsigned side = 0; side < SIDE_MAX; side++) {
		group_table_done(&fixture->tables[side]);
		snapshot_info_done(&fixture->infos[side]);
	}
	free(fixture);
	return 0;
}

static void default_columns(struct column_list *columns, unsigned sides, report_function *print)
{
	if (print == report_table)
		column_list_default(columns, sides, &display_table[0], false, false);
	else
		column_list_machine(columns, sides, false, false);
}

char *report_print(struct report_fixture *fixture, unsigned sides, report_function *print)
{
	const struct group_table *const tables[] = {&fixture->tables[0], &fixture->tables[1]};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	bool by_default = fixture->report.columns.count == 0;

	assert_non_null(file);
	row_set_done(&fixture->rows);
	fixture->options.limit = fixture->report.limit;
	row_set_init(&fixture->rows, tables, sides, fixture->cpu_times, &fixture->options);
	fixture->report.rows = &fixture->rows;
	if (by_default)
		default_columns(&fixture->report.columns, sides, print);
	print(file, &fixture->report);
	assert_int_equal(fclose(file), 0);
	if (by_default)
		fixture->report.columns.count = 0;
	return text;
}
