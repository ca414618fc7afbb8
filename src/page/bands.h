/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* bands - the processes of a job, one above the other: how much each used in each column of time. Those that used most have bands of
 * their own, all others one together. */
#include "ctprof/base/strbuf.h"
#include "page/history.h"
#include "series/series.h"

enum { BANDS_OWN = 7, BAND_COLUMNS = 500, BANDS_HEIGHT = 160 };

struct band {
	char *label;    /* "123 /bin/sh"; safe to print; owned */
	double *values; /* by column; owned */
	double most;    /* of one process */
};

struct bands {
	struct band
	        entries[BANDS_OWN +
	                1]; /* the largest first; the last one of them all may be of the others */
	unsigned count;
	size_t others; /* processes that are in the last one; 0: it is a process like all */
	double top;    /* of all bands together */
};

/* Makes the columns of the time of a series: records, or several of them with the maxima. Times are those since the first record. */
void bands_make_columns(const struct series *series, struct history *ret);
/* Fills the values of a series by column; NaN: missing. */
void bands_series_values(const struct series *series, const struct history *columns,
                         enum series_id id, double *ret);

/* Makes the bands, of CPU use or of resident memory. bands_done() them in any case. */
void bands_init(struct bands *bands, const struct series *series, const struct history *columns,
                bool is_cpu);
void bands_done(struct bands *bands);

/* Appends the bands as the content of an SVG element of time-chart's width, BANDS_HEIGHT high. */
void bands_add(const struct bands *bands, const struct history *columns, enum series_unit unit,
               struct strbuf *out);
