/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* run-table - runs for people: a table, and con-duct's summaries; both end with sums, means and maxima. */
#include <stdio.h>

#include "base/table.h"
#include "runs/runs.h"

/* Prints a table. @names ends with NULL; NULL: con-duct's fields, and what was asked for if any run has it. */
void run_table_print(FILE *file, const struct runs *runs, const char *const *names,
                     const struct table_style *style);
/* Appends a line for each field of each run. */
void run_summaries_add(const struct runs *runs, const char *const *names, struct strbuf *out);
