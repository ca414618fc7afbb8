/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-rename - pairs the groups of cgroups that have another path in the candidate. */
#include "row-pairs.h"

/* Joins groups whose cgroup was renamed and whose other names are the same. */
void row_rename(struct row_set *set, struct row_pairs *pairs);
