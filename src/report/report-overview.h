/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-overview - what the parts of the overview have in common. */
#include "overview/overview.h"
#include "report-text.h"

/* Rows that the limit leaves. */
size_t overview_shown(const struct report *report);

/* Prints the table, as wide as the terminal at most. Returns whether a value in it lacks some threads. */
bool report_print_overview_rows(FILE *file, const struct report *report);

/* Appends an amount of the aspect in three digits or so; nothing for 0. */
void overview_add_amount(const struct overview *overview, unsigned aspect, double amount,
                         struct strbuf *out);

/* Appends a time in two digits or so: "0.4ms", "12s", "3.2h"; nothing for 0. */
void overview_add_time(double ns, struct strbuf *out);

/* What stands between two sides. */
const char *overview_arrow(const struct report *report);

/* Appends the two lines above the table: what is compared, and what is not in it. */
void report_add_overview_head(const struct report *report, struct strbuf *out);

/* Appends the lines below it: what is not shown, each as wide as the terminal at most. @partial is the table's result. */
void report_add_overview_foot(const struct report *report, bool partial, struct strbuf *out);
