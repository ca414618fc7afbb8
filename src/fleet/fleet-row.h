/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* fleet-row - rows of facts: one metric of one group, or of one thread, in one file. registry/fleet-columns.def has the
 * columns. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/scan.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/metric/metric.h"
#include "ctprof/snapshot/snapshot.h"
#include "fleet/summary.h"
#include "group/group-by.h"

enum fleet_column {
#define FLEET_COLUMN(id_, ...) FLEET_COLUMN_##id_,
#include "fleet-columns.def"
#undef FLEET_COLUMN
	FLEET_COLUMN_COUNT,
};

enum fleet_type {
	FLEET_TYPE_TEXT,
	FLEET_TYPE_UNSIGNED, /* of 64 bits */
	FLEET_TYPE_WIDE,     /* of more than 64 bits, or with a sign */
	FLEET_TYPE_COUNT,
};

struct fleet_column_desc {
	const char *name;
	const char *description;
	enum fleet_type type;
	bool nullable;
};
extern const struct fleet_column_desc fleet_column_table[FLEET_COLUMN_COUNT];

enum fleet_cell_kind { FLEET_CELL_NULL, FLEET_CELL_TEXT, FLEET_CELL_INTEGER };

struct fleet_cell {
	enum fleet_cell_kind kind;
	struct span text; /* valid UTF-8; borrowed */
	__int128 integer;
};

/* All zero is a row of nulls. */
struct fleet_row {
	struct fleet_cell cells[FLEET_COLUMN_COUNT];
};

/* Gets each row, which is borrowed. Returns 0 or -errno; anything else than 0 ends the export. */
struct fleet_sink {
	int (*row)(struct fleet_sink *self, const struct fleet_row *row);
};

/* The cells that all rows of a file share. */
struct fleet_file {
	struct fleet_row row;
	struct strbuf texts[FLEET_COLUMN_COUNT]; /* of cells; owned */
};

/* Returns a bit for each enum window_ends in a text of the column ends. */
unsigned fleet_ends_of(struct span text);

/* Sets them. @digest is the hash of the file in hexadecimal. @info is borrowed for the call only. */
void fleet_file_init(struct fleet_file *file, const char *digest, const struct snapshot_info *info);
/* For cleanup_(fleet_file_done). */
void fleet_file_done(struct fleet_file *file);

void fleet_set_text(struct fleet_row *row, enum fleet_column column, struct span text);
void fleet_set_integer(struct fleet_row *row, enum fleet_column column, __int128 integer);

/* Returns whether the values of a metric are numbers that can be summed up: no labels, no sets of CPUs, and not those that the
 * kernel no longer counts. */
bool fleet_has_metric(enum metric_id metric);

/* Returns whether a zero of the metric means that there was no event yet. */
bool fleet_zero_is_none(enum metric_id metric);

/* Hosts are compared with each other in ticks of this clock, which nearly all hosts have. */
enum { FLEET_TICKS_PER_SECOND = 100 };
/* Returns how many of the host's own ticks are FLEET_TICKS_PER_SECOND of these; the same number for a metric that is not in ticks. */
uint64_t fleet_own_ticks(const struct host *host, enum metric_id metric);

/* Returns a value of a metric for which fleet_has_metric() is true, ticks as the host's own. */
__int128 fleet_number(const struct thread_sample *sample, enum metric_id metric);
/* Returns it with ticks of FLEET_TICKS_PER_SECOND, cut off. A sum is made of fleet_number(), and is cut off once. */
__int128 fleet_value(const struct host *host, const struct thread_sample *sample,
                     enum metric_id metric);

/* Notes the rate of a @value that was added, by the time between the thread's own readings, or those of jemalloc's counters: where a
 * reading of all threads takes long, these are further apart than the begins of both readings, or less far. A wait can have begun before
 * the window, and counts no longer than the thread was observed in it. */
void fleet_add_rate(struct summary *summary, const struct thread_sample *sample,
                    enum metric_id metric, __int128 value);

/* Sets the cells of a metric and its summary. @histogram is scratch, and has the text of that cell until the next call. */
void fleet_set_metric(struct fleet_row *row, enum metric_id metric, const struct summary *summary,
                      struct strbuf *histogram);

/* Appends "pcomm,cgroup:service". */
void fleet_add_keys(const struct group_by *by, struct strbuf *out);

/* Print the heads and the lines of the formats. Errors are left in @file's error flag. */
void fleet_print_csv_head(FILE *file);
/* Quotes by RFC 4180. A text begins with a single quote if a spreadsheet would run it as a formula, unless @raw. */
void fleet_print_csv(FILE *file, const struct fleet_row *row, bool raw);
/* An integer beyond 63 bits and a sign is a string of its digits. @line is scratch. */
void fleet_print_ndjson(FILE *file, const struct fleet_row *row, struct strbuf *line);
