/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* machine-value - the value of a cell in the machine formats: raw, in base units, the same in all of them. */
#include "compare/rows.h"
#include "ctprof/base/strbuf.h"
#include "facts/fact-rows.h"
#include "metric/fold.h"
#include "report/report.h"

enum machine_kind { MACHINE_NONE, MACHINE_NUMBER, MACHINE_TEXT, MACHINE_FLAG };

struct machine_value {
	enum machine_kind kind;
	struct quantity number; /* MACHINE_NUMBER */
	bool flag;              /* MACHINE_FLAG */
	struct strbuf text;     /* MACHINE_TEXT */
};

void machine_value_done(struct machine_value *value);

/* A column of the machine formats: a column of a table becomes one, or one for each side or key. */
struct machine_column {
	enum report_column column;
	uint8_t side; /* SIDE_MAX if the column is not a side's */
	uint8_t key;  /* of COLUMN_group: MACHINE_LABEL, MACHINE_RENAMED, or a key's own column */
};
enum { MACHINE_LABEL = GROUP_KEYS_MAX, MACHINE_RENAMED };
enum { MACHINE_COLUMNS_MAX = 2 * COLUMNS_MAX + GROUP_KEYS_MAX };

struct machine_columns {
	unsigned count;
	struct machine_column columns[MACHINE_COLUMNS_MAX];
	char names[MACHINE_COLUMNS_MAX][32];
};

/* Fills the columns of a report, in order, with their names. */
void machine_columns_of(const struct report *report, struct machine_columns *ret);

/* Fills @ret, which is zeroed or was used before. */
void machine_value(const struct row_set *set, const struct row_view *view,
                   struct machine_column column, struct machine_value *ret);

/* Does so for a row that is not about threads. "max" is a text. */
void machine_fact_value(const struct fact_row *row, struct machine_column column,
                        struct machine_value *ret);

/* Appends a number so that it reads back exactly: integers in full, others as the shortest decimal. */
void machine_add_number(struct quantity number, struct strbuf *out);
