// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes for which one cgroup file is enough for all threads. */
#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "cgroup/cgroup-share.h"
#include "temp-tree.h"

static bool holds(const struct cgroup_share *share, const char *text)
{
	return cgroup_share_holds(share, text, strlen(text));
}

/* A hierarchy of version 2, and roots of two of version 1; /a is one that has its threads together. */
static int setup(void **state)
{
	int r = temp_tree_setup(state);

	temp_tree_write_text(*state, "unified/cgroup.controllers", "");
	temp_tree_write_text(*state, "unified/a/cgroup.type", "domain\n");
	temp_tree_write_text(*state, "unified/b/cgroup.type", "domain threaded\n");
	temp_tree_write_text(*state, "unified/c/cgroup.type", "threaded\n");
	temp_tree_write_text(*state, "unified/d/cgroup.type", "domain invalid\n");
	temp_tree_make_dir(*state, "unified/e");
	temp_tree_write_text(*state, "cpu/cgroup.sane_behavior", "0\n");
	temp_tree_write_text(*state, "memory/cgroup.sane_behavior", "0\n");
	temp_tree_make_dir(*state, "memory/child");
	temp_tree_make_dir(*state, "pids");
	return r;
}

static void test_unified(void **state)
{
	const struct temp_tree *tree = *state;
	struct cgroup_mounts mounts = {0};
	struct cgroup_share share;

	cgroup_mounts_from_directory(tree->path, &mounts);
	cgroup_share_init(&share, &mounts);
	assert_true(holds(&share, "0::/a\n"));
	assert_true(holds(&share, "0::/a"));
	assert_false(holds(&share, "0::/b\n"));
	assert_false(holds(&share, "0::/c\n"));
	assert_false(holds(&share, "0::/d\n"));
	assert_false(holds(&share, "0::/e\n"));
	assert_false(holds(&share, "0::/\n"));
	assert_false(holds(&share, "0::/gone\n"));
	assert_false(holds(&share, "0::/../a\n"));
	assert_false(holds(&share, "0::/b/../a\n"));
	assert_false(holds(&share, ""));
	cgroup_share_done(&share);
	cgroup_mounts_done(&mounts);
}

/* Some file systems do not count directories as links. */
static bool counts_links(const struct temp_tree *tree)
{
	struct stat leaf, parent;

	return fstatat(tree->fd, "cpu", &leaf, 0) == 0 && leaf.st_nlink == 2 &&
	       fstatat(tree->fd, "memory", &parent, 0) == 0 && parent.st_nlink == 3;
}

static void test_version_1(void **state)
{
	const struct temp_tree *tree = *state;
	const bool counts = counts_links(tree);
	struct cgroup_mounts mounts = {0};
	struct cgroup_share share;

	cgroup_mounts_from_directory(tree->path, &mounts);
	cgroup_share_init(&share, &mounts);
	assert_int_equal(holds(&share, "3:cpu:/\n0::/a\n"), counts);
	assert_int_equal(holds(&share, "3:cpu:/\n"), counts);
	/* Every hierarchy counts, with values to read or not, known or not. */
	assert_false(holds(&share, "5:freezer:/x\n3:cpu:/\n0::/a\n"));
	assert_false(holds(&share, "1:name=systemd:/x\n3:cpu:/\n0::/a\n"));
	assert_false(holds(&share, "1:name=mine:/\n3:cpu:/\n0::/a\n"));
	assert_false(holds(&share, "7:schedtune:/\n3:cpu:/\n0::/a\n"));
	assert_false(holds(&share, "1:name=systemd:/x\n3:cpu:/\n"));
	assert_false(holds(&share, "3:cpu:/\n0::/b\n"));
	assert_false(holds(&share, "3:cpu:/x\n0::/a\n"));
	/* It has others below it; what is mounted may not be the root. */
	assert_false(holds(&share, "4:memory:/\n0::/a\n"));
	assert_false(holds(&share, "6:pids:/\n0::/a\n"));
	cgroup_share_done(&share);
	cgroup_mounts_done(&mounts);
}

static void test_nothing_mounted(void **state)
{
	struct cgroup_mounts mounts = {0};
	struct cgroup_share share, never = {0};

	(void)state;
	cgroup_share_init(&share, &mounts);
	assert_false(holds(&share, "0::/\n"));
	assert_false(holds(&share, "0::/a\n"));
	assert_false(holds(&share, "3:cpu:/\n"));
	cgroup_share_done(&share);
	cgroup_share_done(&never);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_unified, setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_version_1, setup, temp_tree_teardown),
	        cmocka_unit_test(test_nothing_mounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
