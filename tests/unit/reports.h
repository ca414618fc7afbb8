/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* reports - reports of two tables of groups, printed into memory. */
#include <stdio.h>

#include "groups.h"
#include "report/report.h"

struct report_fixture {
	struct group_table tables[SIDE_MAX];
	struct snapshot_info infos[SIDE_MAX];
	const struct row_cpu_time *cpu_times; /* NULL: no exited threads */
	struct row_options options;
	struct row_set rows;
	struct report report;
};

/* For cmocka_unit_test_setup_teardown(): *state is the fixture; groups are by comm, and empty. */
int report_fixture_setup(void **state);
int report_fixture_teardown(void **state);

/* Makes the rows and prints them, with the columns that are the default where the report has none; the caller frees the
 * text. */
typedef void report_function(FILE *file, const struct report *report);
char *report_print(struct report_fixture *fixture, unsigned sides, report_function *print);
