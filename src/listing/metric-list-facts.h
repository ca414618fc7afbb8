/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* metric-list-facts - the registry of what a snapshot holds beside its threads' metrics, as tables and as JSON. */
#include <stdio.h>

#include "base/table.h"

struct json_t;

void fact_list_print(FILE *file, const struct table_style *style);

/* Adds an array for each kind to @root, which is borrowed. */
void fact_list_add(struct json_t *root);
