/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report - rows of one or two snapshots, and how they are printed as tables. */
#include <stdio.h>

#include "base/table.h"
#include "compare/rows.h"
#include "ctprof/snapshot/snapshot.h"
#include "facts/fact-rows.h"
#include "group/group.h"
#include "report/columns.h"

enum report_format {
	FORMAT_TABLE,
	FORMAT_CSV,
	FORMAT_JSON,
	FORMAT_NDJSON,
	FORMAT_MARKDOWN,
	FORMAT_PROMETHEUS,
	FORMAT_OPENMETRICS,
};

struct report_side {
	const char *path; /* as the user gave it; may hold any bytes */
	const struct snapshot_info *info;
	uint64_t file_bytes; /* compressed size; 0 if not known */
	/* The settings of its cgroups, by path, see facts/cgroup-knobs.h; NULL: not read. */
	const struct settings *cgroup_knobs;
};

struct overview;

struct report {
	struct row_set *rows;
	/* One line for each group, in place of the rows; NULL: the rows. */
	const struct overview *overview;
	const struct snapshot_info
	        *interval; /* of the window between the sides; NULL: there is none */
	bool verbose;      /* adds the head and the notes of the table below the overview */
	bool without_rows; /* only the text around them */
	/* Only settings whose names fit this glob, and no text around them; NULL: all that there is. */
	const char *settings_like;
	bool host;                        /* a page about the host, and nothing else */
	bool delays;                      /* a table of delays in place of the rows */
	const struct fact_row_set *facts; /* NULL: none */
	/* Groups or, if each row has a line, lines to print of each of their tables; in the machine formats rows of
	 * each section. 0 for all. */
	size_t facts_limit;
	struct report_side sides[SIDE_MAX];
	struct column_list columns;
	unsigned sorted_by;          /* the measure in COLUMN_SORTED */
	struct group_by explains_by; /* the keys of that group */
	/* The group whose threads are the rows, as the user gave it; NULL: none. */
	const char *explains;
	/* In CSV, texts that a spreadsheet would run as a formula are unchanged. Else a single quote is before
	 * them, or, behind a separator in them, before the rest. */
	bool csv_raw;
	size_t limit; /* rows to print, 0 for all; of each group if only the top ones are listed */
	struct table_style style;
};

/* Prints a whole report as tables or Markdown. Errors are left in @file's error flag. */
void report_table(FILE *file, const struct report *report);

/* Return the rows that the limit leaves, and those that it cuts off. */
size_t report_shown(const struct report *report);
size_t report_left_out(const struct report *report);

/* Returns how many of the rows that are not about threads a machine format cuts off. */
size_t report_facts_left_out(const struct report *report);

/* Appends the rows that the report leaves out, "12 more rows (--limit 0 shows all)" and so on; nothing if there are
 * none. */
void report_add_left_out(const struct report *report, struct strbuf *out);

/* Appends a group's metric for people: "min..max" for ranges, "-" if it was not seen. */
void report_add_value(const struct row_view *view, unsigned side, struct strbuf *out);

/* Returns whether the side has the value of some of the threads only. */
bool report_is_partial(const struct row_view *view, unsigned side);

/* Returns whether the second of two snapshots was captured before the first, by the clock of their boot if they are of one. */
bool report_is_swapped(const struct report *report);
extern const char report_swapped_note[];

/* If the snapshot is one of ktstr ctprof, appends a sentence, without its full stop, about the meaning of its zeros,
 * and returns true. */
bool report_add_origin(const struct report_side *side, struct strbuf *out);
