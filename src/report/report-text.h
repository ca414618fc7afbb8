/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-text - the text around the rows of a table, and the helpers that the formats share. Private to this room. */
#include "ctprof/metric/probe.h"
#include "report/report.h"

/* Prints the tables of the rows that are not about threads, each with a blank line and a heading before it. */
void report_print_facts(FILE *file, const struct report *report);

/* Appends the text below the rows: how the snapshots were made, and the threads that are not in the rows. */
void report_add_head(const struct report *report, struct strbuf *out);
/* Appends the group whose threads are the rows; nothing if they are those of all. */
void report_add_explained(const struct report *report, struct strbuf *out);

/* Stands behind the number of threads if the two sides have different ones. */
extern const char report_members_mark[];
/* Stands for a difference, if a counter of the same threads went back. */
extern const char report_went_back_mark[];
extern const char report_remade_mark[];
extern const char report_measured_mark[];     /* behind a delta */
extern const char report_impossible_mark[];   /* in place of a difference */
extern const char report_began_before_mark[]; /* behind a value */

/* Append a value of the row's measure, on the ladder of its unit and with its divisor behind it, and its delta. */
void report_add_amount(const struct row_view *view, struct quantity value, enum measure_per per,
                       struct strbuf *out);
void report_add_difference(const struct row_view *view, struct strbuf *out);
/* Appends the mean of one thread of a side, likewise. */
void report_add_mean(const struct row_view *view, unsigned side, struct strbuf *out);

/* Appends the lines below a table that explain the marks in its cells. */
void report_add_footnotes(const struct report *report, struct strbuf *out);

/* Appends the names of the inputs that a side's value lacks, with blanks between them. */
/* Appends the words of the column "marks". */
void report_add_marks(const struct row_view *view, struct strbuf *out);
/* Returns what a delta is: what happened between two snapshots of one boot, or candidate minus baseline. */
const char *report_comparison(bool is_interval);

void report_add_missing_inputs(const struct row_view *view, unsigned side, struct strbuf *out);

/* Returns a column about the only process of a side's group; none if it has several, or it is not known. */
struct quantity report_process_value(const struct row_view *view, enum report_column column,
                                     unsigned side);

/* Returns a column of the distribution over a group's threads. */
struct quantity report_spread_value(const struct row_set *set, const struct row_view *view,
                                    enum report_column column, unsigned side);

/* Walks over the rows that a machine format lists; a table may have more, as context for others. Starts zeroed. */
struct fact_cursor {
	size_t at;
	size_t section_rows; /* listed of the section so far */
	size_t left_out;     /* rows that the limit cuts off, so far */
};
/* Fills the next row about threads. Returns false behind the last one. */
bool report_next_row(const struct report *report, struct row_cursor *cursor, struct row_view *ret);
/* Returns the next row that is not about threads, or NULL behind the last one. */
const struct fact_row *report_next_fact(const struct report *report, struct fact_cursor *cursor);

/* Appends lines about the missing values of one side's snapshot and the cost of its capture. */
void report_add_tally(const struct report *report, unsigned side, struct strbuf *out);

/* Appends a line about the search for jemalloc; nothing if there was none. */
void report_add_probe(const struct probe_summary *probe, struct strbuf *out);

/* Appends the missing values of both snapshots of a comparison. */
void report_add_missing(const struct report *report, struct strbuf *out);

/* Append a time of day, "2026-11-21 01:20:11 UTC", and a span of time, "30.002s" or "3h 12min". */
void report_add_time(uint64_t unix_ns, struct strbuf *out);
void report_add_duration(uint64_t ns, struct strbuf *out);

/* Appends up to two lines about the window of one side: its time, its threads, and those that it lacks; nothing for a
 * lifetime snapshot. */
void report_add_window(const struct report *report, unsigned side, struct strbuf *out);

/* Computes how long both windows of a comparison cover the same time of the same boot, and whether they are the same.
 * Returns false if that is not known. */
bool report_windows_overlap(const struct report *report, uint64_t *ret_overlap_ns, bool *ret_same);
/* Appends a line if they overlap and are not the same. */
void report_add_overlap(const struct report *report, struct strbuf *out);

/* A difference between the hosts of two snapshots, beside their threads' work. */
struct difference {
	char *field;           /* owned, as are the texts; "sched_tunables.sched_rt_runtime_us" */
	char *texts[SIDE_MAX]; /* raw bytes; NULL if the side does not have it */
};
struct difference_list {
	struct difference *entries; /* owned */
	size_t count;
	size_t capacity;
};

/* Finds the differences. A map that one side lacks altogether is one difference with @whole_maps, with the number of
 * its entries as text; else one for each entry. */
void differences_find(const struct report *report, bool whole_maps, struct difference_list *ret);
/* For cleanup_(differences_done). */
void differences_done(struct difference_list *list);

/* Appends the lines "also differs: ...". */
void report_add_differs(const struct report *report, struct strbuf *out);

/* Appends what differs, "vm.swappiness 60 → 10"; of long texts the words that only one side has. Long texts are cut unless
 * @all. */
void report_add_change(const struct difference *difference, bool all, struct strbuf *out);

/* Appends a line for each thing that is set differently, the most relevant first, and in windows for what was set while they
 * lasted: "set: vm.swappiness 60 → 10". At most four lines, unless the report has no limit. */
void report_add_settings(const struct report *report, struct strbuf *out);

/* Appends the host of the only snapshot as a page: its fields, one on a line, and how many settings of each kind there are. */
void report_add_host(const struct report *report, struct strbuf *out);

/* Appends that no setting like the report's differs between two sides, if that is so. */
void report_add_no_settings(const struct report *report, struct strbuf *out);

/* Appends a line for each side about settings that could not be read, as far as they are asked for. */
void report_add_denied_settings(const struct report *report, struct strbuf *out);

/* Returns the colour of a difference, and of one in percent: above 50 either way it is bold. */
enum table_color report_color_of(struct quantity quantity);
enum table_color report_color_of_percent(struct quantity percent);
