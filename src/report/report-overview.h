/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-overview - what the parts of the overview have in common. */
#include "overview/overview.h"
#include "report/overview-table.h"
#include "report/report-text.h"

/* Rows that the limit leaves. */
size_t overview_shown(const struct report *report);

/* Prints the table, as wide as the terminal at most. Returns the marks in it. */
struct overview_marks report_print_overview_rows(FILE *file, const struct report *report);

/* Appends a time in two digits or so: "0.4ms", "12s", "3.2h"; nothing for 0. */
void overview_add_time(double ns, struct strbuf *out);

/* Returns the text between two sides: an arrow. */
const char *overview_arrow(const struct report *report);

/* Returns whether the two sides are of hosts with other numbers of CPUs, or of one that changed it. */
bool report_has_unlike_cpus(const struct report *report);

/* Appends a line, cut where the terminal ends, and nothing for an empty one. In ASCII where the style says so; @line then is,
 * too. */
void overview_add_line(const struct report *report, struct strbuf *line, struct strbuf *out);

/* Appends the begin of the first window and the end of the last one, in local time, if the side is a sum of windows. Returns whether
 * it is one. */
bool overview_bounds_of(const struct report *report, unsigned side, struct strbuf *out);

/* Appends " (2 of 45→3 of 50 threads)": those of each side that were denied the source, once if both sides are equal; nothing if all
 * were. Returns false if none was. The window between two snapshots has the threads of the later one, of which those that the earlier
 * one was denied have no difference either. */
bool report_add_denied_threads(const struct report *report, unsigned source, struct strbuf *out);

/* Stores in the empty @out "9 impossible values", or "2→3 impossible values", those of each side that were left out, and "4 impossible
 * differences" between two snapshots. Returns false if there are none. */
bool report_add_impossible(const struct report *report, struct strbuf *out);

/* Returns whether the line is wider than the terminal. It is in ASCII afterwards where the style says so. */
bool overview_is_too_wide(const struct report *report, struct strbuf *line);

/* Appends the number of CPUs times @factor, "8→2" where the sides differ. */
void overview_add_cpus(const struct report *report, uint64_t factor, struct strbuf *out);

/* Returns the path without its folders. */
const char *overview_last_part(const char *path);

/* Appends the first line above a table: the files, how long their windows are, and of which hosts. If the terminal is too narrow, the
 * host's details leave it first, then the ends of long names. */
void report_add_compared(const struct report *report, struct strbuf *out);

/* Appends the two lines above a table: what is compared, and what matters about trust; and of the second one the parts that
 * the terminal has no room for, for a line below the table. */
void report_add_two_lines(const struct report *report, struct strbuf *out);
void report_add_second_rest(const struct report *report, struct strbuf *out);
