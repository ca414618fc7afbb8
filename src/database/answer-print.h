/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* answer-print - answers about a fleet, for people and for programs. */
#include <stdio.h>

#include "base/table.h"
#include "database/question.h"

enum { ANSWER_HOST_ROWS = 3 };

/* These read names of groups. database_reason() is not empty afterwards if that failed, and what was printed is of no use. */

/* Prints a line about the answer, and a table. It has @limit hosts, with ANSWER_HOST_ROWS rows each, or @limit rows if they are of no host
 * or of one group; 0: all rows. The number of rows that are left out is printed below. Errors are left in @file's error flag. */
void answer_print_table(FILE *file, const struct table_style *style, struct database *database,
                        const struct question *question, const struct database_list *list,
                        const struct answer *answer, size_t limit);

/* Appends what hosts were left out, which the table says itself; nothing if there is none. */
void answer_add_unlike(const struct answer *answer, struct strbuf *out);

/* Print all rows. Unless @raw, texts that a spreadsheet runs have a single quote before them. */
void answer_print_csv(FILE *file, struct database *database, const struct question *question,
                      const struct database_list *list, const struct answer *answer, bool raw);
void answer_print_ndjson(FILE *file, struct database *database, const struct question *question,
                         const struct database_list *list, const struct answer *answer);
