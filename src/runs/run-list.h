/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* run-list - prints runs, in con-duct's formats and in those that ctprof has elsewhere. */
#include <stdbool.h>
#include <stdio.h>

#include "base/table.h"
#include "runs/runs.h"

enum run_list_format {
	RUN_LIST_AUTO, /* a table, also for pyout */
	RUN_LIST_PYOUT,
	RUN_LIST_TABLE,
	RUN_LIST_MARKDOWN,
	RUN_LIST_SUMMARIES,
	RUN_LIST_JSON,
	RUN_LIST_JSON_PP,
	RUN_LIST_YAML,
	RUN_LIST_CSV,
	RUN_LIST_NDJSON,
};
/* Their names, ended by NULL. */
extern const char *const run_list_formats[];

/* Returns whether people read it. */
bool run_list_is_table(enum run_list_format format);

/* Prints the runs. @names ends with NULL, and has no prefix, which is the first field always; NULL: those of the format. A table
 * and the summaries end with sums, means and maxima if there are several runs. Errors are left in @file's error flag. In CSV, texts that a spreadsheet
 * runs have a single quote before them, unless @csv_raw. */
void run_list_print(FILE *file, const struct runs *runs, enum run_list_format format,
                    const char *const *names, const struct table_style *style, bool csv_raw);
