/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* listing - the tables of the registry as rows of cells. metric-list prints them as tables and as JSON, and the build prints
 * them as ctprof-metrics(7). Each of these printers has a list of listings in its own order. */
#include <stddef.h>

#include "ctprof/metric/metric.h"

struct json_t;

/* The most columns that a table has. */
enum { LISTING_COLUMNS_MAX = 5 };

enum listing_id {
	LISTING_SCHED_CLASSES,
	LISTING_GATES,
	LISTING_RULES,
	LISTING_TYPES,
	LISTING_OUTCOMES, /* those that are reasons */
	LISTING_SECTIONS,
	LISTING_SOURCES,
	LISTING_METRICS,
	LISTING_DERIVED,
	LISTING_ASPECTS,
	LISTING_GROUP_KEYS,
	LISTING_COLUMNS,
	LISTING_PROCESS_TOTALS,
	LISTING_CGROUP_VALUES,
	LISTING_CGROUP_LISTS,
	LISTING_CGROUP_KEYS,
	LISTING_CGROUP_RULES,
	LISTING_CGROUP_FORMS,
	LISTING_PSI,
	LISTING_SCHED_EXT,
	LISTING_HOST,
	LISTING_FACT_DERIVED,
	LISTING_COST,
	LISTING_WINDOW,
	LISTING_COUNT,
};

/* A row. Each member is a JSON object whose keys are in the order of printing. The row is not printed in a form whose
 * object is empty. */
struct listing_row {
	struct json_t *table;        /* headings of columns, and their cells */
	struct json_t *json;         /* keys and values of the row's object */
	struct json_t *man;          /* terms and their definitions; '\n' is a line break */
	enum metric_section section; /* SECTION_COUNT if it belongs to none */
};

struct listing_rows {
	size_t count;
	struct listing_row *rows;
};

/* Makes the rows of a listing. The caller frees them with listing_rows_done(). */
struct listing_rows listing_rows(enum listing_id listing);
void listing_row_done(struct listing_row *row);
/* For cleanup_(listing_rows_done). */
void listing_rows_done(struct listing_rows *rows);

/* Drops the rows that no pattern of a list fits; the list ends with NULL, and an empty one drops none. Case does not count. A
 * pattern fits a row if the name or the source's key of it has the pattern in it, its section has that name, or a word of its
 * description begins with it. A glob must be like the whole of one of these. */
void listing_rows_filter(struct listing_rows *rows, const char *const *patterns);
