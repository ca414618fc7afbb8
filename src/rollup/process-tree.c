// SPDX-License-Identifier: GPL-2.0-or-later
#include "rollup/process-tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NO_PROCESS = PATH_NODE_NONE };

/* Processes are numbered in the order of their keys while the tree is built. */
struct builder {
	const struct process_entry *processes;
	size_t count;
	uint32_t *order;   /* the entry of each number; owned */
	uint32_t *parent;  /* its number, or NO_PROCESS; owned */
	uint32_t *child;   /* the first child that is not in the tree yet; owned */
	uint32_t *sibling; /* the next child of the same parent; owned */
	uint32_t *node;    /* the number's node, or NO_PROCESS; owned */
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_keys(const struct process_entry *process, const struct process_entry *other)
{
	int order = compare_numbers(process->host_hash, other->host_hash);

	if (order == 0)
		order = compare_numbers(process->tgid, other->tgid);
	if (order == 0)
		order = compare_numbers(process->start_clock_ticks, other->start_clock_ticks);
	return order;
}

static int compare_entries(const void *a, const void *b, void *context)
{
	const struct process_entry *processes = context;
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	int order = compare_keys(&processes[first], &processes[second]);

	return order != 0 ? order : compare_numbers(first, second);
}

static const struct process_entry *entry_of(const struct builder *builder, size_t number)
{
	return &builder->processes[builder->order[number]];
}

/* Returns the first number that is behind the processes of the child's host with the tgid that it names as its parent's, of those
 * that were born before a time. */
static size_t find_behind(const struct builder *builder, const struct process_entry *child,
                          uint64_t start_clock_ticks)
{
	const struct process_entry key = {.host_hash = child->host_hash,
	                                  .tgid = child->ppid,
	                                  .start_clock_ticks = start_clock_ticks};
	size_t low = 0, high = builder->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_keys(entry_of(builder, middle), &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool can_be_parent(const struct builder *builder, size_t number,
                          const struct process_entry *child)
{
	const struct process_entry *process = entry_of(builder, number);

	return process != child && process->is_known && process->host_hash == child->host_hash &&
	       process->tgid == child->ppid;
}

/* A parent may have been born in the same clock tick. If all were born later, the tgid was used again: the first of them is as good
 * a guess as any. */
static uint32_t find_parent(const struct builder *builder, size_t number)
{
	const struct process_entry *child = entry_of(builder, number);
	size_t behind;

	if (!child->is_known || !child->has_parent || child->ppid == 0)
		return NO_PROCESS;
	behind = find_behind(builder, child, child->start_clock_ticks);
	for (size_t i = 1; i <= 2 && i <= behind; i++)
		if (can_be_parent(builder, behind - i, child))
			return (uint32_t)(behind - i);
	return behind < builder->count && can_be_parent(builder, behind, child) ? (uint32_t)behind
	                                                                        : NO_PROCESS;
}

/* Makes the lists of children; each is in the order of the numbers. */
static void find_parents(struct builder *builder)
{
	for (size_t i = 0; i < builder->count; i++) {
		builder->child[i] = builder->node[i] = NO_PROCESS;
		builder->parent[i] = find_parent(builder, i);
	}
	for (size_t i = builder->count; i-- > 0;) {
		uint32_t parent = builder->parent[i];

		builder->sibling[i] = parent == NO_PROCESS ? NO_PROCESS : builder->child[parent];
		if (parent != NO_PROCESS)
			builder->child[parent] = (uint32_t)i;
	}
}

static void add_node(struct builder *builder, struct path_tree *tree, uint32_t number,
                     uint32_t parent_node)
{
	const char *label = entry_of(builder, number)->label;
	struct path_node node = {.path = label,
	                         .path_len = (uint32_t)strlen(label),
	                         .name_len = (uint32_t)strlen(label),
	                         .parent = parent_node,
	                         .first_entry = builder->order[number]};

	if (parent_node != PATH_NODE_NONE)
		node.depth = tree->nodes[parent_node].depth + 1;
	builder->node[number] = (uint32_t)tree->count;
	*array_add(tree->nodes, tree->count, tree->capacity) = node;
}

/* Adds a root and all that are below it and not in the tree yet, each behind its parent. */
static void add_root(struct builder *builder, struct path_tree *tree, uint32_t root)
{
	uint32_t at = root;

	add_node(builder, tree, root, PATH_NODE_NONE);
	for (;;) {
		uint32_t child = builder->child[at];

		if (child != NO_PROCESS) {
			builder->child[at] = builder->sibling[child];
			if (builder->node[child] != NO_PROCESS)
				continue;
			add_node(builder, tree, child, builder->node[at]);
			at = child;
		} else if (at == root) {
			return;
		} else {
			at = builder->parent[at];
		}
	}
}

void process_tree_build(struct path_tree *tree, const struct process_entry *processes, size_t count)
{
	struct builder builder = {.processes = processes,
	                          .count = count,
	                          .order = mem_calloc(count + 1, sizeof(uint32_t)),
	                          .parent = mem_calloc(count + 1, sizeof(uint32_t)),
	                          .child = mem_calloc(count + 1, sizeof(uint32_t)),
	                          .sibling = mem_calloc(count + 1, sizeof(uint32_t)),
	                          .node = mem_calloc(count + 1, sizeof(uint32_t))};

	*tree = (struct path_tree){.next_entry =
	                                   mem_calloc(count + 1, sizeof(tree->next_entry[0]))};
	for (size_t i = 0; i < count; i++) {
		builder.order[i] = (uint32_t)i;
		tree->next_entry[i] = PATH_NODE_NONE;
	}
	if (count > 0)
		qsort_r(builder.order, count, sizeof(builder.order[0]), compare_entries,
		        (void *)(uintptr_t)processes);
	find_parents(&builder);
	for (uint32_t i = 0; i < count; i++)
		if (builder.parent[i] == NO_PROCESS)
			add_root(&builder, tree, i);
	/* The rest is in circles, or below them. */
	for (uint32_t i = 0; i < count; i++)
		if (builder.node[i] == NO_PROCESS)
			add_root(&builder, tree, i);
	free(builder.order);
	free(builder.parent);
	free(builder.child);
	free(builder.sibling);
	free(builder.node);
}
