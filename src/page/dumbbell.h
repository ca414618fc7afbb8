/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* dumbbell - an effect as a line from arm A to arm B, with its interval and the band of the margin. The axis has changes in percent:
 * it is even within the margin, and logarithmic beyond it. */
#include "ctprof/base/strbuf.h"
#include "effect/effect.h"

struct dumbbell_axis {
	double margin; /* logarithms of ratios */
	double most;   /* the end of the axis */
	bool is_cut;   /* something is beyond the end, and drawn at it */
};

/* Makes the axis for rows, which may have no percentage. */
struct dumbbell_axis dumbbell_axis_of(const struct effect *const *effects, size_t count,
                                      double margin);

/* Returns the place of a change in percent, in percent of the width. */
double dumbbell_place(const struct dumbbell_axis *axis, double percent);

/* Append the content of an SVG element, whose width is that of the chart: labels of the axis, and a row with its title. */
void dumbbell_add_labels(const struct dumbbell_axis *axis, struct strbuf *out);
void dumbbell_add_row(const struct dumbbell_axis *axis, const struct effect *effect,
                      struct strbuf *out);

enum { DUMBBELL_HEIGHT = 18 };
