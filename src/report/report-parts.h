/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-parts - what stands around the rows in a table, and what the formats share of it. */
#include "ctprof/metric/probe.h"
#include "report/report.h"

/* The tables of the rows that are not about threads, each with a blank line and a heading before it. */
void report_print_facts(FILE *file, const struct report *report);

/* Appends what stands above the rows: what is compared, and what is not among the rows. */
void report_add_head(const struct report *report, struct strbuf *out);

/* Behind the number of threads, if they are not the same ones on both sides. */
extern const char report_members_mark[];
/* Behind the difference that there is not, where a counter of the same threads went back. */
extern const char report_went_back_mark[];
extern const char report_measured_mark[];     /* behind a delta */
extern const char report_impossible_mark[];   /* behind a difference that there is not */
extern const char report_began_before_mark[]; /* behind a value */

/* Append a value of the row's measure, on the ladder of its unit and with what it is per behind it, and its delta. */
void report_add_amount(const struct row_view *view, struct quantity value, enum measure_per per,
                       struct strbuf *out);
void report_add_difference(const struct row_view *view, struct strbuf *out);

/* Appends the lines below a table that explain the marks in its cells. */
void report_add_footnotes(const struct report *report, struct strbuf *out);

/* Appends the names of the inputs that a side's value lacks, with blanks between them. */
/* The words of the column "marks". */
void report_add_marks(const struct row_view *view, struct strbuf *out);

void report_add_missing_inputs(const struct row_view *view, unsigned side, struct strbuf *out);

/* Returns a column of the distribution over a group's threads. */
struct quantity report_spread_value(const struct row_set *set, const struct row_view *view,
                                    enum report_column column, unsigned side);

/* Walks over the rows that a machine format lists: some of a table's are there for their neighbours' sake. Starts
 * zeroed. */
struct fact_cursor {
	size_t at;
	size_t section_rows; /* listed of the section so far */
	size_t left_out;     /* that the limit cuts off, so far */
};
/* The next row about threads; false behind the last one. */
bool report_next_row(const struct report *report, struct row_cursor *cursor, struct row_view *ret);
/* Returns the next one that is not, or NULL behind the last one. */
const struct fact_row *report_next_fact(const struct report *report, struct fact_cursor *cursor);

/* Appends lines about what the snapshot of one side lacks and what taking it has cost. */
void report_add_tally(const struct report *report, unsigned side, struct strbuf *out);

/* Appends a line about what became of looking for jemalloc; nothing if nobody looked. */
void report_add_probe(const struct probe_summary *probe, struct strbuf *out);

/* Appends what either snapshot of a comparison lacks. */
void report_add_missing(const struct report *report, struct strbuf *out);

/* Append a time of day, "2026-11-21 01:20:11 UTC", and a span of time, "30.002s" or "3h 12min". */
void report_add_time(uint64_t unix_ns, struct strbuf *out);
void report_add_duration(uint64_t ns, struct strbuf *out);

/* Appends up to two lines about the window of one side: its time, its threads, and what is not known of them; nothing
 * for a lifetime snapshot. */
void report_add_window(const struct report *report, unsigned side, struct strbuf *out);

/* For how long both windows of a comparison cover the same time of the same boot, and whether they are the same; false
 * if that is not known. */
bool report_windows_overlap(const struct report *report, uint64_t *ret_overlap_ns, bool *ret_same);
/* Appends a line where they do and are not. */
void report_add_overlap(const struct report *report, struct strbuf *out);

/* What differs between the hosts of two snapshots, beside what their threads did. */
struct difference {
	char *field;           /* owned, as are the texts; "sched_tunables.sched_rt_runtime_us" */
	char *texts[SIDE_MAX]; /* raw bytes; NULL if the side does not have it */
};
struct difference_list {
	struct difference *entries; /* owned */
	size_t count;
	size_t capacity;
};

/* A map that one side lacks altogether is one difference where @whole_maps, its text being the number of its
 * entries; else one for each entry. */
void differences_find(const struct report *report, bool whole_maps, struct difference_list *ret);
/* For cleanup_(differences_done). */
void differences_done(struct difference_list *list);

/* Appends the lines "also differs: ...". */
void report_add_differs(const struct report *report, struct strbuf *out);

/* Returns the look of a difference, and of one in percent: above 50 either way it is bold. */
enum table_color report_color_of(struct quantity quantity);
enum table_color report_color_of_percent(struct quantity percent);
