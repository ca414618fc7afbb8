/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* process-tree - processes as a tree: one node for each group of one process, below that of its parent. Pure. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rollup/path-tree.h"

/* A process as its row says it. */
struct process_entry {
	const char *label; /* borrowed */
	uint64_t host_hash;
	uint64_t start_clock_ticks;
	uint32_t tgid, ppid;
	bool is_known; /* else it is a root without a tgid */
	bool has_parent;
};

/* Builds the tree of @count processes; the path and the name of a node are its label, and its only entry the number of the process.
 * A process whose parent is not among them is a root; the first process by tgid of each circle of parents, which no kernel
 * makes, is another. The parent is the last one of its tgid that was not born after the child. */
void process_tree_build(struct path_tree *tree, const struct process_entry *processes,
                        size_t count);
