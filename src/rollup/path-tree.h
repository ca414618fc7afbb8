/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* path-tree - paths as a tree: one node for each path and for each directory above it. Pure. */
#include <stddef.h>
#include <stdint.h>

#define PATH_NODE_NONE UINT32_MAX

struct path_node {
	const char *
	        path; /* the whole path, not ended by NUL; borrowed from the label it was found in */
	uint32_t path_len;
	uint32_t name_len;    /* of its last segment, at the end of the path */
	uint32_t parent;      /* a smaller number than its own, or PATH_NODE_NONE */
	uint32_t depth;       /* of the roots 0 */
	uint32_t first_entry; /* the first of the labels that are this path, or PATH_NODE_NONE */
};

struct path_tree {
	struct path_node
	        *nodes; /* each behind its parent, with all nodes below it following; owned */
	size_t count, capacity;
	uint32_t
	        *next_entry; /* by label: the next one of the same path, or PATH_NODE_NONE; owned */
};

/* Builds the tree of @count labels, which are borrowed. A label that begins with a slash, or with "v1:/", is a path; any other,
 * such as "(no cwd)", is a root by itself. */
void path_tree_build(struct path_tree *tree, const char *const *labels, size_t count);
void path_tree_done(struct path_tree *tree);
