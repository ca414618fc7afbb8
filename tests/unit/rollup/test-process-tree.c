// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "random.h"
#include "rollup/process-tree.h"

enum { TREE_MAX = 8 };

static struct path_tree tree;

static struct process_entry process(const char *label, uint32_t tgid, uint32_t ppid)
{
	return (struct process_entry){.label = label,
	                              .start_clock_ticks = 100,
	                              .tgid = tgid,
	                              .ppid = ppid,
	                              .is_known = true,
	                              .has_parent = true};
}

/* Draws the tree: "a(b(c)d)e". */
static void draw(char text[static 64])
{
	uint32_t depth = 0;
	size_t len = 0;

	for (size_t i = 0; i < tree.count; i++) {
		const struct path_node *node = &tree.nodes[i];

		for (; depth < node->depth; depth++)
			text[len++] = '(';
		for (; depth > node->depth; depth--)
			text[len++] = ')';
		memcpy(text + len, node->path, node->path_len);
		len += node->path_len;
	}
	for (; depth > 0; depth--)
		text[len++] = ')';
	text[len] = '\0';
}

static void check_drawn(const struct process_entry *processes, size_t count, const char *expected)
{
	char text[64];

	process_tree_build(&tree, processes, count);
	assert_int_equal(tree.count, count);
	draw(text);
	assert_string_equal(text, expected);
	path_tree_done(&tree);
}

static void test_families(void **state)
{
	const struct process_entry family[] = {process("d", 40, 10), process("a", 10, 0),
	                                       process("c", 30, 20), process("b", 20, 10),
	                                       process("e", 50, 0)};

	(void)state;
	check_drawn(family, ARRAY_SIZE(family), "a(b(c)d)e");
	check_drawn(family, 0, "");
	check_drawn(family, 1, "d");
}

/* A parent that is not there, is not said, or is the process itself makes a root; a row without a tgid is no parent of anybody. */
static void test_roots(void **state)
{
	struct process_entry roots[] = {process("a", 10, 99), process("b", 20, 20),
	                                process("c", 30, 20), process("d", 40, 10),
	                                process("x", 0, 0),   process("e", 50, 0)};

	(void)state;
	roots[3].has_parent = false;
	roots[4].is_known = false;
	check_drawn(roots, ARRAY_SIZE(roots), "xab(c)de");
}

static void test_circles(void **state)
{
	const struct process_entry circle[] = {process("a", 10, 30), process("b", 20, 10),
	                                       process("c", 30, 20), process("d", 40, 30),
	                                       process("r", 50, 0)};
	const struct process_entry pair[] = {process("b", 20, 10), process("a", 10, 20)};

	(void)state;
	check_drawn(circle, ARRAY_SIZE(circle), "ra(b(c(d)))");
	check_drawn(pair, ARRAY_SIZE(pair), "a(b)");
}

/* An id that was used again, and hosts that have the same ids. */
static void test_same_ids(void **state)
{
	struct process_entry again[] = {process("a", 10, 0),  process("b", 10, 0),
	                                process("c", 20, 10), process("d", 30, 10),
	                                process("e", 40, 10), process("f", 10, 0)};

	(void)state;
	again[0].start_clock_ticks = 50;
	again[1].start_clock_ticks = 150;
	again[3].start_clock_ticks = 200;
	again[4].start_clock_ticks = 20;
	again[5].host_hash = 7;
	check_drawn(again, ARRAY_SIZE(again), "a(ce)b(d)f");
	again[4].host_hash = 7;
	check_drawn(again, ARRAY_SIZE(again), "a(c)b(d)f(e)");
}

static void test_deep(void **state)
{
	enum { DEEP = 200000 };
	struct process_entry *processes = mem_calloc(DEEP, sizeof(*processes));

	(void)state;
	for (uint32_t i = 0; i < DEEP; i++)
		processes[i] = process("p", DEEP - i, DEEP - i - 1);
	process_tree_build(&tree, processes, DEEP);
	assert_int_equal(tree.count, DEEP);
	for (uint32_t i = 0; i < DEEP; i++) {
		assert_int_equal(tree.nodes[i].depth, i);
		assert_int_equal(tree.nodes[i].first_entry, DEEP - 1 - i);
	}
	path_tree_done(&tree);
	/* One id for all, which name it as their parent. */
	for (uint32_t i = 0; i < DEEP; i++)
		processes[i] = process("p", 1, 1);
	process_tree_build(&tree, processes, DEEP);
	assert_int_equal(tree.count, DEEP);
	path_tree_done(&tree);
	free(processes);
}

/* Any numbers give a tree with each process once, behind its parent, and that is below the process that it names. */
static void test_any(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		struct random random = random_start(9, round);
		struct process_entry processes[TREE_MAX];
		bool seen[TREE_MAX] = {false};

		for (size_t i = 0; i < TREE_MAX; i++) {
			processes[i] = process("p", (uint32_t)random_below(&random, TREE_MAX),
			                       (uint32_t)random_below(&random, TREE_MAX));
			processes[i].start_clock_ticks = random_below(&random, 4);
			processes[i].has_parent = random_chance(&random, 90);
		}
		process_tree_build(&tree, processes, TREE_MAX);
		check_random(&random, tree.count == TREE_MAX);
		for (size_t i = 0; i < tree.count; i++) {
			const struct path_node *node = &tree.nodes[i], *parent;

			check_random(&random, !seen[node->first_entry]);
			seen[node->first_entry] = true;
			if (node->parent == PATH_NODE_NONE) {
				check_random(&random, node->depth == 0);
				continue;
			}
			check_random(&random, node->parent < i);
			parent = &tree.nodes[node->parent];
			check_random(&random, node->depth == parent->depth + 1);
			check_random(&random, processes[parent->first_entry].tgid ==
			                              processes[node->first_entry].ppid);
		}
		path_tree_done(&tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_families), cmocka_unit_test(test_roots),
	        cmocka_unit_test(test_circles),  cmocka_unit_test(test_same_ids),
	        cmocka_unit_test(test_deep),     cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
