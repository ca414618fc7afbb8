/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-pairs - pairs the groups of two tables by their names. A group is identified by its place in the table's map. */
#include "compare/rows.h"

static const uint32_t NO_PLACE = UINT32_MAX;

struct row_pairs {
	const struct group_table
	        *tables[SIDE_MAX]; /* the second is NULL where there is one side only */
	/* The numbers that the other table gives to the names, by side, key and number; owned. */
	uint32_t *elsewhere[SIDE_MAX][GROUP_KEYS_MAX];
	uint32_t *to_baseline; /* by the candidate's place; owned */
	/* The candidates of a baseline group: the first one by the baseline's place, the next one by the
	 * candidate's; owned. Several there are where cgroups were renamed. */
	uint32_t *first;
	uint32_t *next;
};

void row_pairs_init(struct row_pairs *pairs, const struct group_table *const *tables,
                    unsigned sides);
void row_pairs_done(struct row_pairs *pairs);

/* The baseline group that the candidate's group is, going by @cgroup, the baseline's number of a cgroup, in place of
 * its own; NO_PLACE where there is none. */
uint32_t row_pairs_find(const struct row_pairs *pairs, const struct strmap_entry *candidate,
                        uint32_t cgroup);

/* Pairs two groups that were not. */
void row_pairs_join(struct row_pairs *pairs, uint32_t baseline, uint32_t candidate);

/* The number of an entry's name for a key. */
uint32_t row_pairs_number(const struct strmap_entry *entry, unsigned key);
