/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* page - a report as one HTML file that needs nothing else: tables and charts that can be read without its script, and a Content
 * Security Policy that refuses everything but the page's own style and script. */
#include "ctprof/base/strbuf.h"
#include "report/report.h"

/* The command lines that print the numbers of the page, to which sections add options. */
struct page_command {
	const char *overview; /* "ctprof compare a.zst b.zst -g comm"; safe to print */
	const char *limit;    /* " --limit 3", of its first table; empty: the default */
	const char *states;   /* its groups' shares of states; complete */
	const char *tree;     /* the overview of the same files, without a grouping */
};

/* Appends the page up to its first section, with the lines that are above the overview. */
void page_begin(const struct report *report, struct strbuf *out);
void page_end(struct strbuf *out);

/* Appends the overview: as many rows as the report shows, the others behind a line that opens, the lines below, and all as
 * data for the script. */
void page_add_overview(const struct report *report, const struct page_command *command,
                       struct strbuf *out);

/* Appends a bar for each of the first groups of the overview and each side: the time of its threads by their state. */
void page_add_states(const struct report *report, const struct page_command *command,
                     struct strbuf *out);

/* Appends, for each kind of time that the overview has, the host as a tree: cgroups, in them processes, in them pools of threads.
 * The report's overview is of that tree, with all groups. */
void page_add_icicles(const struct report *report, const struct page_command *command,
                      struct strbuf *out);

/* Append one chart as a whole SVG file. */
void page_add_states_svg(const struct report *report, struct strbuf *out);
/* Returns false if there is none of the aspect. */
bool page_add_icicle_svg(const struct report *report, unsigned aspect, struct strbuf *out);
