/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* arms-print - what an arm changed over hosts, for people and for programs. */
#include <stdio.h>

#include "base/table.h"
#include "database/arms.h"

/* These read names of groups. database_reason() is not empty afterwards if that failed, and what was printed is of no use. */

/* Prints the design and the answers, a table of @limit series, and one of @limit hosts that differ from the others; 0: all. Errors are
 * left in @file's error flag. */
void arms_print_table(FILE *file, const struct table_style *style, struct database *database,
                      const struct database_list *list, const struct arms_answer *answer,
                      size_t limit);

/* Print all series, each followed by its hosts. Unless @raw, texts that a spreadsheet runs have a single quote before them. */
void arms_print_csv(FILE *file, struct database *database, const struct database_list *list,
                    const struct arms_answer *answer, bool raw);
void arms_print_ndjson(FILE *file, struct database *database, const struct database_list *list,
                       const struct arms_answer *answer);
