/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-tree - makes one tree of rows that are grouped by several keys: the segments of the cgroup's path, the keys
 * between, and the rows below those of the last key. */
#include "report/report.h"

/* There may be one for each group and measure, so it is small. */
struct tree_line {
	union {
		const char *text; /* of a heading; borrowed from the groups' labels */
		size_t row;       /* of the report, if it is no heading */
	};
	uint32_t text_len;
	uint16_t depth; /* from 0 on */
	bool heading;
	bool in_path; /* the heading is a segment of a cgroup's path */
};

struct tree {
	struct tree_line *lines; /* owned */
	size_t count;
	size_t capacity;
};

/* Puts the first @row_count rows of the set into a tree. Branches come in the order of their first rows, and so do the
 * rows of each. */
void tree_build(struct tree *tree, const struct row_set *set, size_t row_count);
void tree_done(struct tree *tree);
