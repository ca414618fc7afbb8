/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* machine-value - a cell as the machine formats have it: raw, in base units, the same in all of them. */
#include "ctprof/fact-rows.h"
#include "ctprof/fold.h"
#include "ctprof/rows.h"
#include "ctprof/strbuf.h"

enum machine_kind { MACHINE_NONE, MACHINE_NUMBER, MACHINE_TEXT };

struct machine_value {
	enum machine_kind kind;
	struct quantity number; /* MACHINE_NUMBER */
	struct strbuf text;     /* MACHINE_TEXT */
};

void machine_value_done(struct machine_value *value);

/* The columns of a row, in order. */
enum machine_column {
	MACHINE_GROUP,
	MACHINE_THREADS_BASELINE, /* "threads" in show */
	MACHINE_THREADS_CANDIDATE,
	MACHINE_METRIC,
	MACHINE_SECTION,
	MACHINE_UNIT,
	MACHINE_BASELINE, /* "value" in show */
	MACHINE_CANDIDATE,
	MACHINE_DELTA,
	MACHINE_PERCENT,
	MACHINE_IMPACT,
	MACHINE_COVERAGE_BASELINE, /* "coverage" in show */
	MACHINE_COVERAGE_CANDIDATE,
	MACHINE_COLUMN_COUNT,
};

/* The name of a column for a report of one or two sides, or NULL where that report does not have it. */
const char *machine_column_name(enum machine_column column, unsigned sides);

/* Fills @ret, which is zeroed or was used before. */
void machine_value(const struct row_view *view, enum machine_column column,
                   struct machine_value *ret);

/* The same for a row that is not about threads. "max" is a text. */
void machine_fact_value(const struct fact_row *row, enum machine_column column,
                        struct machine_value *ret);

/* Appends a number so that it reads back exactly: integers in full, others as the shortest decimal. */
void machine_add_number(struct quantity number, struct strbuf *out);
