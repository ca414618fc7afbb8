/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* axis - round numbers along an axis, and their texts. */
#include <stdint.h>

#include "ctprof/base/strbuf.h"
#include "series/series.h"

struct axis {
	double top;  /* the end; the begin is 0 */
	double step; /* between labels; the end is a multiple of it */
};

/* Returns an axis that reaches @most, with at most @steps labels above 0 (at least one). */
struct axis axis_of_values(enum series_unit unit, double most, unsigned steps);

/* Appends the label of a multiple of the step; a value by itself. Bytes have decimal units, as con-duct prints them. */
void axis_add_label(enum series_unit unit, const struct axis *axis, double value,
                    struct strbuf *out);
void axis_add_value(enum series_unit unit, double value, struct strbuf *out);

/* Returns the seconds between labels of a time axis, a round number such as 30 or 7200: at most @labels of them. */
uint64_t axis_time_step(double seconds, unsigned labels);
/* Appends "0", "30s", "1m30s", "2h", "1d12h". */
void axis_add_time(uint64_t seconds, struct strbuf *out);
