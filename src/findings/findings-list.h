/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* findings-list - the rows of an experiment's report and the lines around them, for whoever prints them in another form than text.
 * All texts are safe to print. */
#include "findings/findings.h"

enum findings_column {
	FINDINGS_METRIC,
	FINDINGS_GROUP,
	FINDINGS_A,
	FINDINGS_B,
	FINDINGS_CHANGE,
	FINDINGS_INTERVAL,
	FINDINGS_P,
	FINDINGS_SHARE,
	FINDINGS_ANSWER,
	FINDINGS_SPREAD, /* the standard deviation between hosts; only of experiments over several */
	FINDINGS_COLUMN_COUNT
};
extern const struct table_column findings_columns[FINDINGS_COLUMN_COUNT];

struct findings_list {
	const struct effect **rows; /* owned; borrowed from the comparison */
	size_t count;
	size_t left_out; /* rows that moved, beyond the limit */
};

/* Finds the rows that a table has: those that were named, what moved, and with findings->verbose all others. */
void findings_list_init(struct findings_list *list, const struct findings *findings,
                        const struct comparison *comparison);
void findings_list_done(struct findings_list *list);

/* Appends the cell of a row. Returns its colour. */
enum table_color findings_add_cell(const struct effect *effect, enum findings_column column,
                                   struct strbuf *out);

/* Appends a value of the row, of one unit or a mean, with its unit. */
void findings_add_value(const struct effect *effect, double value, struct strbuf *out);

/* Append lines, as the text has them. In front of the tables: the question, arms, n, order. */
void findings_add_head(const struct findings *findings, struct strbuf *out);
/* "B = tuned against A: 3 moved, 20 same, 4 unknown". */
void findings_add_answers(const struct findings *findings, const struct comparison *comparison,
                          struct strbuf *out);
/* Why no answer, or no p, can be believed; none if there is no reason. */
void findings_add_failures(const struct comparison *comparison, struct strbuf *out);
/* Behind a table: what its limit left out, and what its marks mean. */
void findings_list_add_notes(const struct findings_list *list, const struct findings *findings,
                             struct strbuf *out);
/* The rows that have no line. */
void findings_add_rest(const struct findings *findings, const struct comparison *comparison,
                       struct strbuf *out);
/* The lines about whether the answers can be believed. */
void findings_add_validity(const struct findings *findings, const struct comparison *comparison,
                           struct strbuf *out);
/* The results of conditions; none if there are none. */
void findings_add_gates(const struct findings *findings, struct strbuf *out);

/* Appends a name of a stranger, safe to print. */
void findings_add_name(const char *text, struct strbuf *out);
