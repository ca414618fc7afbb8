/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* metric-list - prints the registry: the legend of tags, sections, metrics, derived metrics, and all other parts of a
 * snapshot. */
#include <stdio.h>

#include "base/table.h"

/* Prints tables. Errors are left in @file's error flag. */
void metric_list_print(FILE *file, const struct table_style *style);

/* Prints one JSON object. */
void metric_list_print_json(FILE *file);
