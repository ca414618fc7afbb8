/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-rollup - prints trees of directories for people. */
#include "report/report.h"
#include "rollup/rollup.h"

struct report_rollup {
	const char *name;           /* of the paths: "cwd" */
	const struct rollup *trees; /* one for each measure */
	size_t count;
	size_t limit; /* lines of each tree, for people; 0 for all */
};

/* Prints the trees. @report has the sides, the style and the rows' set. Errors are left in @file's error flag. */
void report_rollup_table(FILE *file, const struct report *report, const struct report_rollup *of);
