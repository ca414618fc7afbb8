/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* time-chart - charts of a history over one axis of time: lines, cells and the axis, each as the content of an SVG element that is
 * TIME_WIDTH wide in its own units and is stretched to the width of the page. Texts are not stretched: they have places in percent. */
#include "ctprof/base/strbuf.h"
#include "page/history.h"

enum { TIME_WIDTH = 1000, LINE_HEIGHT = 44, CELL_HEIGHT = 13, CELL_LEVELS = 5, AXIS_HEIGHT = 30 };

/* Returns the place of a time, from 0 to TIME_WIDTH. */
double time_chart_place(const struct history *history, uint64_t unix_ns);

/* Append an SVG element up to its content, and its end. @classes of it; @width "100%". */
void time_chart_begin(const char *classes, unsigned height, struct strbuf *out);
void time_chart_end(struct strbuf *out);

/* Appends the times without a window. */
void time_chart_add_gaps(const struct history *history, unsigned height, struct strbuf *out);

/* Appends a line, one value for each column, with its area if it is the first one. */
void time_chart_add_line(const struct history *history, const double *values, double top,
                         unsigned number, struct strbuf *out);

/* Returns the level of an amount: 1 is more than nothing, CELL_LEVELS a third of the largest one or more; 0: nothing. */
unsigned time_chart_level(double amount, double largest);
/* Returns the least amount of a level above 1. */
double time_chart_least(unsigned level, double largest);
/* Appends a row of cells; NaN is not known. */
void time_chart_add_cells(const struct history *history, const double *values, double largest,
                          struct strbuf *out);

/* Appends the labels of times (UTC), and marks of columns with gaps inside. Its units are pixels and percent. */
void time_chart_add_axis(const struct history *history, struct strbuf *out);
/* Appends "2026-11-23 10:00:00", UTC. */
void time_chart_add_time(uint64_t unix_ns, struct strbuf *out);
