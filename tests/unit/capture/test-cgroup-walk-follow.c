// SPDX-License-Identifier: GPL-2.0-or-later
/* A walk reads what the one before has read, also cgroups without threads, but none that could not be read. */
#include "check.h"

#include "capture/cgroup-walk.h"
#include "temp-tree.h"

/* One line for each cgroup. */
struct lines {
	struct cgroup_sink sink; /* must stay the first member */
	struct strbuf text;
};

static int add(struct cgroup_sink *self, const struct cgroup_stats *stats)
{
	strbuf_addf(&((struct lines *)self)->text, "%s%s ", stats->is_v1 ? "v1:" : "",
	            strbuf_str(&stats->path));
	return 0;
}

static void check_read(struct cgroup_walk *walk, const struct temp_tree *tree, const char *expected)
{
	struct lines lines = {.sink = {add}};
	struct snapshot_tally tally = {0};
	struct cgroup_mounts mounts = {0};

	cgroup_mounts_from_directory(tree->path, &mounts);
	assert_int_equal(cgroup_walk_read(walk, &mounts, &lines.sink, &tally), 0);
	assert_text(&lines.text, expected);
	cgroup_mounts_done(&mounts);
	strbuf_done(&lines.text);
}

static void note(struct cgroup_walk *walk, const char *text)
{
	cgroup_walk_note(walk, text, strlen(text));
}

static void test_follow(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(cgroup_walk_done) struct cgroup_walk before, walk;

	temp_tree_write_text(tree, "unified/cgroup.controllers", "memory\n");
	temp_tree_write_text(tree, "unified/left/memory.current", "1\n");
	temp_tree_write_text(tree, "unified/here/memory.current", "2\n");
	temp_tree_write_text(tree, "pids/left/pids.current", "3\n");
	cgroup_walk_init(&before);
	note(&before, "8:pids:/left\n0::/left\n");
	note(&before, "0::/removed\n");
	check_read(&before, tree, "/ /left v1:/ v1:/left ");
	cgroup_walk_init(&walk);
	cgroup_walk_follow(&walk, &before);
	temp_tree_write_text(tree, "unified/removed/memory.current", "4\n");
	note(&walk, "0::/here\n");
	check_read(&walk, tree, "/ /here /left v1:/ v1:/left ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_follow, temp_tree_setup, temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
