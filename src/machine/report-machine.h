/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-machine - rows of one or two snapshots for programs: CSV, JSON, and JSON by lines. */
#include "report/report-exits.h"
#include "report/report-rollup.h"
#include "report/report.h"

/* Print a whole report. Errors are left in @file's error flag. */
void report_csv(FILE *file, const struct report *report);
void report_json(FILE *file, const struct report *report);
/* Prints one JSON object on a line for each row, and nothing else. */
void report_ndjson(FILE *file, const struct report *report);

/* Print trees of directories. One row for each directory and measure; the columns are the same in all three. */
void report_rollup_csv(FILE *file, const struct report *report, const struct report_rollup *of);
void report_rollup_json(FILE *file, const struct report *report, const struct report_rollup *of,
                        bool lines);

/* Print the threads that ended in a window: who they were, and the facts of their records. */
void report_exits_csv(FILE *file, const struct report *report, const struct report_exits *exits);
void report_exits_ndjson(FILE *file, const struct report *report, const struct report_exits *exits);
