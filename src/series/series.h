/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* series - what a job used over its time: the records of usage.jsonl, as con-duct and ctprof duct write it. A record has the
 * maxima of the time since the record before. The file is read line by line, and a value that is missing or no number stays
 * missing. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strmap.h"
#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "ctprof/base/stream.h"

enum series_unit { SERIES_UNIT_percent, SERIES_UNIT_bytes, SERIES_UNIT_count };

enum series_panel {
#define SERIES_PANEL(id_, ...) SERIES_PANEL_##id_,
#include "series.def"
	SERIES_PANEL_COUNT
};

enum series_id {
#define SERIES(id_, ...) SERIES_##id_,
#include "series.def"
	SERIES_COUNT
};

struct series_panel_row {
	const char *id, *heading;
	enum series_unit unit;
	bool is_default;
};

struct series_row {
	const char *id;
	enum series_panel panel;
	const char *place; /* "totals.rss"; "": computed */
	const char *label, *description;
};

extern const struct series_panel_row series_panels[SERIES_PANEL_COUNT];
extern const struct series_row series_rows[SERIES_COUNT];
/* The ids, ended by NULL. */
extern const char *const series_names[];

/* The CPU use of a process. */
enum series_cpu {
	SERIES_CPU_LIFETIME, /* pcpu as ps prints it: CPU time divided by age */
	SERIES_CPU_INTERVAL, /* the difference of two records by pcpu and etime, see series_interval_cpu() */
};

struct series_record {
	int64_t time_ns;             /* since the first record */
	double values[SERIES_COUNT]; /* NaN: missing */
};

/* One process in one record. */
struct series_point {
	int64_t time_ns;
	double cpu, rss; /* NaN: missing */
	double used; /* CPU time since the record before that has the process, in percent of that time; NaN: not known, as in con-duct's files */
	const char *
	        command; /* in this record, or the last one that has it; borrowed; NULL: none has */
};

struct series_process {
	const char *pid; /* borrowed from the keys of @pids */
	const char *
	        command; /* in the last record that has it; raw bytes of any kind; borrowed; NULL: none has */
	struct series_point *points; /* owned */
	size_t count, capacity;
	double cpu_seconds; /* in the last record that has it */
	bool has_cpu;       /* some record has it */
	/* series->seconds and series->gaps of that record. */
	double seconds;
	size_t gaps;
	double start; /* in clock ticks since boot; NaN: not known, as in con-duct's files */
	bool has_birth;
	int64_t birth_ns; /* the earliest one by any record: ages are whole seconds */
	uint64_t last_age;
	/* The values of the record before, for the difference. */
	bool has_before;
	int64_t seen_ns;
	uint64_t age_seconds;
	double pcpu;
};

/* The points of processes that are kept; of more none is. */
enum { SERIES_POINTS_MAX = 200000 };

struct series {
	struct series_record *records; /* owned; in the order of time */
	size_t count, capacity;
	struct series_process *processes; /* owned */
	size_t process_count, process_capacity;
	bool has_last_time;
	int64_t last_time_ns; /* of the last record, as it was written */
	double last_seconds;  /* how long the last record is; NaN: not known */
	double last_total;    /* the time from the start of the job to its end; NaN: not known */
	double seconds; /* the time between the records so far, without gaps of unknown length */
	size_t gaps;    /* of unknown length */
	struct strmap pids;     /* to one behind the place of the last process that had the id */
	struct strmap commands; /* keys alone: processes run many commands, most of them often */
	size_t points;
	bool too_many_points; /* no process has points */
	/* Lines that are no record, without a torn last line: how many, the first one, and the reason for it. */
	size_t bad_lines, first_bad_line;
	struct strbuf first_bad;
	bool is_torn; /* the last line has no end and is no record: its writer was killed */
};

/* Reads all records. Returns 0, also if there is none, or the source's -errno; -EFBIG for a line of more than 32 MiB. @series
 * is zeroed before. */
must_check_ int series_read(struct series *series, struct byte_source *source, enum series_cpu cpu);
/* For cleanup_(series_done). */
void series_done(struct series *series);

/* Returns whether any record has a value of it. */
bool series_has(const struct series *series, enum series_id id);

/* Returns the CPU use between two records of a process by ps's pcpu (CPU time divided by age) and age; NaN if it is not known:
 * the age did not grow, the number is of another process now, or the two pcpu are of other moments than the ages, so that
 * the result would be negative. */
double series_interval_cpu(double pcpu_before, uint64_t age_before, int64_t seen_before_ns,
                           double pcpu, uint64_t age, int64_t seen_ns);
