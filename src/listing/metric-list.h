/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* metric-list - prints the registry: metrics, derived metrics, all other parts of a snapshot, sections, the words of options,
 * and the legend of tags. @patterns chooses rows as for listing_rows_filter(). */
#include <stdio.h>

#include "base/table.h"

/* Prints tables, as far as they have rows. Returns whether there is any. Errors are left in @file's error flag. */
bool metric_list_print(FILE *file, const struct table_style *style, const char *const *patterns);

/* Prints one JSON object, whose arrays may be empty, but not all of them: then nothing is printed. Returns whether one has a
 * row. */
bool metric_list_print_json(FILE *file, const char *const *patterns);
