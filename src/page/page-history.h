/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* page-history - the section of a page about the time of a recording: lines of the host, and what groups did in each column. */
#include "ctprof/base/strbuf.h"
#include "page/history.h"

/* The word that stands for a range in a command, behind all other words like it. */
#define PAGE_HISTORY_RANGE "RANGE"

/* The command lines that print its numbers, to which the section adds options; safe to print. */
struct page_history_commands {
	const char *whole, *whole_host; /* the groups of the page; the host as one group */
	const char *range, *range_host; /* of the range PAGE_HISTORY_RANGE */
};

void page_add_history(const struct history *history, const struct page_history_commands *commands,
                      struct strbuf *out);

/* Append one chart as a whole SVG file. The second returns false if no CPU time is known. */
void page_add_lines_svg(const struct history *history, struct strbuf *out);
bool page_add_heat_svg(const struct history *history, struct strbuf *out);
