/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* scan-plan - the conditions by which servers of ClickHouse find the facts of a question. */
#include "database/database.h"

/* Appends conditions that are true for all facts of metrics with the rule sum that the filter asks for, in those files whose byte in
 * @uses is not 0. They may be true for facts of other files. */
void scan_plan_add(struct strbuf *out, const struct database_filter *filter,
                   const struct database_list *list, const unsigned char *uses);

/* Appends a text in quotes. */
void scan_plan_add_text(struct strbuf *out, const char *text);
