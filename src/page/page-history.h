/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* page-history - the section of a page about the time of a recording: lines of the host, and what groups did in each column. */
#include "ctprof/base/strbuf.h"
#include "page/history.h"

/* Appends the section. @command prints one range of it: "ctprof show DIR@RANGE", in which the last RANGE stands for a range;
 * safe to print. @options are those of all of its numbers. */
void page_add_history(const struct history *history, const char *command, const char *whole,
                      struct strbuf *out);

/* Append one chart as a whole SVG file. The second returns false if no CPU time is known. */
void page_add_lines_svg(const struct history *history, struct strbuf *out);
bool page_add_heat_svg(const struct history *history, struct strbuf *out);
