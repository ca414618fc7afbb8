/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* plot - pictures of a job's series: panels one below the other over one axis of time. A record stands for the time since the
 * one before, and is drawn as a step. Nothing is drawn where a value is missing. */
#include <stdbool.h>

#include "ctprof/base/strbuf.h"
#include "series/job-info.h"
#include "series/series-use.h"

struct plot {
	const struct series *series; /* with at least one record */
	const struct job_info *info; /* of the same job; empty if there is none */
	const char *name;            /* of the file; any bytes */
	bool shown[SERIES_COUNT];
	bool ascii, color;      /* of text */
	bool csv_raw;           /* in CSV, texts that a spreadsheet runs are left as they are */
	unsigned width, height; /* columns and lines of text; pixels of an SVG */
};

/* Marks the series that are drawn if nobody chooses. */
void plot_show_default(bool shown[SERIES_COUNT]);
/* Returns whether a series is marked that has a value. */
bool plot_has_lines(const struct plot *plot);

/* Appends the two lines above the picture, the command and what is known of the job; safe to print. */
void plot_add_head(const struct plot *plot, struct strbuf *out);

/* Appends a value of a unit for people. */
void plot_add_value(enum series_unit unit, double value, struct strbuf *out);

/* Appends the picture as lines of text. It has at most so many columns and lines if these are at least 40 and 10, and there are
 * enough lines for the panels: each has two at least. */
void plot_text(const struct plot *plot, struct strbuf *out);

/* Appends it as an SVG document that refers to nothing else. @height 0: as high as the panels need. */
void plot_svg(const struct plot *plot, struct strbuf *out);

/* Appends the numbers of the picture as CSV: a line for each record, empty where a value is missing. */
void plot_csv(const struct plot *plot, struct strbuf *out);

/* Processes that are named one by one; all others are counted. */
enum { PLOT_PROCESSES = 7 };
/* The headings of CPU use and of memory. */
extern const char *const plot_processes_titles[2];

/* Append the words about a process, safe to print: "12 /bin/sh", ": most 4.0 %", "3 other processes". */
void plot_add_process(const struct series_use *use, struct strbuf *out);
void plot_add_process_most(enum series_unit unit, double most, struct strbuf *out);
void plot_add_other_processes(size_t count, struct strbuf *out);
/* Appends what the processes are parts of: "the RSS in the series, at most 3.0 MB". */
void plot_add_processes_total(const struct series *series, enum series_use_kind kind,
                              struct strbuf *out);

/* Appends the two lines above the picture, and what the processes used that used most. */
void plot_processes_text(const struct plot *plot, struct strbuf *out);
/* Appends what each process used, as CSV: a line for each process in each record, in the order of time. */
void plot_processes_csv(const struct plot *plot, struct strbuf *out);
