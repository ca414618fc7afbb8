/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* page-experiment - the page of an experiment: the words of ctprof ab-report, its rows with the interval of each, and the values of
 * rows by unit, in the order of time. */
#include "ctprof/base/strbuf.h"
#include "findings/findings.h"

/* Appends the whole page. @command prints the report, "ctprof ab-report DIR -g comm"; safe to print. */
void page_add_experiment(const struct findings *findings, const char *command, struct strbuf *out);

/* Append one chart as a whole SVG file, of all comparisons. Return false if there is no row to draw. */
bool page_add_effects_svg(const struct findings *findings, struct strbuf *out);
bool page_add_blocks_svg(const struct findings *findings, struct strbuf *out);
