/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* picture - what is drawn, whatever draws it: the panels, their lines, and the texts around them. */
#include <stdbool.h>
#include <stddef.h>

#include "axis.h"
#include "ctprof/base/strbuf.h"
#include "plot/plot.h"
#include "series/series.h"

/* A panel has no more lines than a canvas has signs. */
enum { PANEL_LINES = 4 };

struct panel {
	enum series_panel id;
	enum series_id lines[PANEL_LINES];
	unsigned count;
	double most; /* the highest value of its lines */
};

struct picture {
	struct series_record *records; /* owned */
	size_t count;
	double seconds; /* from the first record to the last one; 1 if they are of one moment */
	struct panel panels[SERIES_PANEL_COUNT];
	unsigned panel_count;
	struct strbuf title, facts; /* safe to print */
};

/* Fills @picture, which picture_done() frees. Records are merged, by their maxima, into at most @most. */
void picture_init(struct picture *picture, const struct plot *plot, size_t most);
void picture_done(struct picture *picture);

/* Returns a record's time in seconds. */
double picture_seconds(const struct series_record *record);

enum label_form { LABEL_FULL, LABEL_SHORT, LABEL_NAME, LABEL_FORMS };
/* Appends what a line is: "RSS, max 229.1 MB", "RSS 229.1 MB" or "RSS". */
void picture_add_label(const struct picture *picture, enum series_id id, enum label_form form,
                       struct strbuf *out);
/* Appends the limits of the host that belong to a panel: " of 2 CPUs"; nothing if they are not known. */
void picture_add_limit(const struct plot *plot, enum series_panel panel, struct strbuf *out);
