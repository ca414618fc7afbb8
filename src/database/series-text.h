/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* series-text - the name of a series, and the form of its values. */
#include "database/database.h"
#include "metric/units.h"

struct series_text {
	struct strbuf key, group, metric,
	        unit; /* UTF-8; the group's name may hold control characters */
	enum metric_unit unit_id;
	bool is_rate; /* work per second, and no level */
};

/* Replaces the texts. database_reason() is not empty afterwards if the database could not be read. */
void series_text_set(struct series_text *text, struct database *database,
                     const struct database_list *list, size_t metric, int64_t group);
void series_text_done(struct series_text *text);

/* Appends a value for people, "-" if it is NaN. */
void series_text_add_value(const struct series_text *text, double value, struct strbuf *out);
