/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-select - which rows are listed, and in what order. */
#include "compare/rows.h"

/* Puts groups in the order of the sort keys, and fills the rows of @set. */
void row_select(struct row_set *set, const struct row_options *options);
