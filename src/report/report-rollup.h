/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-rollup - prints trees of directories for people. */
#include "report/report.h"
#include "rollup/rollup.h"

struct report_rollup {
	const char *name;           /* of the paths: "cwd" */
	const struct rollup *trees; /* one for each measure */
	size_t count;
	size_t limit; /* rows of each tree; 0 for all */
};

/* Returns how many rows of a tree are printed. */
size_t report_rollup_shown(const struct report_rollup *of, const struct rollup *tree);

/* Returns how many rows of all trees are not printed. */
size_t report_rollup_left_out(const struct report_rollup *of);

/* Prints the trees. @report has the sides, the style and the rows' set. Errors are left in @file's error flag. */
void report_rollup_table(FILE *file, const struct report *report, const struct report_rollup *of);
