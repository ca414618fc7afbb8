/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report - rows of one or two snapshots, and the registry itself, as tables, CSV or JSON. */
#include <stdio.h>

#include "ctprof/group.h"
#include "ctprof/rows.h"
#include "ctprof/snapshot.h"
#include "ctprof/table.h"

enum report_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

struct report_side {
	const char *path; /* as the user gave it; may hold any bytes */
	const struct snapshot_info *info;
};

struct report {
	const struct row_set *rows;
	struct report_side sides[SIDE_MAX];
	enum group_key group_key;
	bool normalised; /* groups are patterns */
	size_t limit;    /* rows to print, 0 for all */
	struct table_style style;
};

/* Print a whole report. Errors are left in @file's error flag. */
void report_table(FILE *file, const struct report *report);
void report_csv(FILE *file, const struct report *report);
void report_json(FILE *file, const struct report *report);

/* Rows that the limit leaves, and those that it cuts off. */
size_t report_shown(const struct report *report);
size_t report_left_out(const struct report *report);

/* Appends what the report leaves out, "12 more rows (--limit 0 shows all)" and so on; nothing where it leaves
 * out nothing. */
void report_add_left_out(const struct report *report, struct strbuf *out);

/* Appends a group's metric as people read it, "min..max" for ranges, "-" where it was not seen. */
void report_add_value(const struct row_view *view, unsigned side, struct strbuf *out);

/* Whether the side has the value from some of the threads only. */
bool report_is_partial(const struct row_view *view, unsigned side);

/* The registry: tag legend, sections, metrics, derived metrics. */
void report_metric_list(FILE *file, const struct table_style *style);
void report_metric_list_json(FILE *file);

/* Appends a metric's tags: "[cfs-only] [SCHEDSTATS]". */
void report_add_tags(enum metric_id metric, struct strbuf *out);
