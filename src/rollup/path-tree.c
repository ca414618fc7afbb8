// SPDX-License-Identifier: GPL-2.0-or-later
#include "rollup/path-tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The nodes from the root to the last path, by depth. */
struct chain {
	uint32_t *nodes; /* owned */
	size_t count, capacity;
};

struct label {
	const char *text;
	uint32_t number;
};

/* Returns the rank of the next byte, and goes on behind it. A slash comes before all other bytes, so that whatever is below a
 * directory follows it at once. Several are one, and one at the end is none. */
static int next_rank(const char **at)
{
	char c = **at;

	if (c == '\0')
		return 0;
	if (c != '/') {
		(*at)++;
		return (unsigned char)c + 2;
	}
	*at += strspn(*at, "/");
	return **at == '\0' ? 0 : 1;
}

static int compare_labels(const void *a, const void *b)
{
	const struct label *first = a, *second = b;
	const char *at = first->text, *other_at = second->text;
	int rank, other;

	do {
		rank = next_rank(&at);
		other = next_rank(&other_at);
	} while (rank == other && rank != 0);
	if (rank != other)
		return rank - other;
	return first->number < second->number ? -1 : 1;
}

/* Returns the length of the root's path: "/", "v1:/", or the whole label. */
static size_t root_len(const char *label)
{
	static const char v1_root[] = "v1:/";

	if (label[0] == '/')
		return 1;
	return strncmp(label, v1_root, strlen(v1_root)) == 0 ? strlen(v1_root) : strlen(label);
}

static bool is_node(const struct path_node *node, const char *name, size_t name_len)
{
	return node->name_len == name_len &&
	       memcmp(node->path + node->path_len - name_len, name, name_len) == 0;
}

/* Goes from the node at the depth to its child, which may be new: the path up to @end, whose last segment is as given. */
static void descend(struct path_tree *tree, struct chain *chain, size_t depth, const char *label,
                    size_t end, size_t name_len)
{
	struct path_node node = {.path = label,
	                         .path_len = (uint32_t)end,
	                         .name_len = (uint32_t)name_len,
	                         .parent = depth > 0 ? chain->nodes[depth - 1] : PATH_NODE_NONE,
	                         .depth = (uint32_t)depth,
	                         .first_entry = PATH_NODE_NONE};

	if (depth < chain->count &&
	    is_node(&tree->nodes[chain->nodes[depth]], label + end - name_len, name_len))
		return;
	chain->count = depth;
	*array_add(chain->nodes, chain->count, chain->capacity) = (uint32_t)tree->count;
	*array_add(tree->nodes, tree->count, tree->capacity) = node;
}

/* Returns the node of the label, and adds it with those above it. */
static uint32_t add_label(struct path_tree *tree, struct chain *chain, const char *label)
{
	size_t end = root_len(label), depth = 0;

	descend(tree, chain, 0, label, end, end);
	while (label[end] != '\0') {
		size_t name_len;

		end += strspn(label + end, "/");
		name_len = strcspn(label + end, "/");
		end += name_len;
		if (name_len > 0)
			descend(tree, chain, ++depth, label, end, name_len);
	}
	return chain->nodes[depth];
}

void path_tree_build(struct path_tree *tree, const char *const *labels, size_t count)
{
	cleanup_(mem_freep) struct label *sorted = mem_calloc(count + 1, sizeof(*sorted));
	struct chain chain = {0};

	*tree = (struct path_tree){.next_entry =
	                                   mem_calloc(count + 1, sizeof(tree->next_entry[0]))};
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct label){labels[i], (uint32_t)i};
	if (count > 0)
		qsort(sorted, count, sizeof(*sorted), compare_labels);
	for (size_t i = 0; i < count; i++) {
		uint32_t node = add_label(tree, &chain, sorted[i].text);

		tree->next_entry[sorted[i].number] = tree->nodes[node].first_entry;
		tree->nodes[node].first_entry = sorted[i].number;
	}
	free(chain.nodes);
}

void path_tree_done(struct path_tree *tree)
{
	free(tree->nodes);
	free(tree->next_entry);
	*tree = (struct path_tree){0};
}
