/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* rename-cascade - finds further pairs of cgroups that follow from the pairs that were found by their threads. */
#include "group/rename-match.h"

/* The state of rename matching. */
struct rename_work {
	const struct rename_side *baseline;
	const struct rename_side *candidate;
	const struct rename_cgroup **baseline_by_path; /* owned, sorted */
	const struct rename_cgroup **candidate_by_path;
	struct rename_pair *pairs; /* owned: one for each candidate, in the order of the side */
	bool *paired;              /* owned: whether the candidate has one */
	uint64_t compared_bytes;   /* of paths whose ends were compared */
};

/* Orders pointers to cgroups alphabetically; for qsort() and bsearch(). */
int rename_by_path(const void *a, const void *b);

/* Fills the roots of the direct pairs, which must be there, and adds the cascaded ones. */
void rename_cascade(struct rename_work *work);
