// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of two users are made by root only. */
#include "base/trust-open.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "temp-tree.h"

enum { OTHER = 65534 };

static void check_open(const struct temp_tree *tree, const char *name, int expected)
{
	cleanup_(mem_freep) char *path = temp_tree_path(tree, name);
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(fd_closep) int fd = trust_open(path, &reason);

	assert_int_equal(fd < 0 ? fd : 0, expected);
}

static void test_own(void **state)
{
	const struct temp_tree *tree = *state;

	temp_tree_write_text(tree, "dir/file", "x");
	assert_int_equal(symlinkat("dir/file", tree->fd, "link"), 0);
	assert_int_equal(mkfifoat(tree->fd, "fifo", 0600), 0);
	check_open(tree, "dir/file", 0);
	check_open(tree, "link", 0);
	check_open(tree, "dir/none", -ENOENT);
	check_open(tree, "dir", -EISDIR);
	check_open(tree, "fifo", -EMEDIUMTYPE);
}

static void test_writable(void **state)
{
	const struct temp_tree *tree = *state;

	temp_tree_write_text(tree, "above/dir/file", "x");
	assert_int_equal(fchmodat(tree->fd, "above/dir/file", 0666, 0), 0);
	check_open(tree, "above/dir/file", -EPERM);
	assert_int_equal(fchmodat(tree->fd, "above/dir/file", 0644, 0), 0);
	check_open(tree, "above/dir/file", 0);
	/* Others may have moved it there. */
	assert_int_equal(fchmodat(tree->fd, "above/dir", 01777, 0), 0);
	check_open(tree, "above/dir/file", -EPERM);
	assert_int_equal(fchmodat(tree->fd, "above/dir", 0755, 0), 0);
	assert_int_equal(fchmodat(tree->fd, "above", 0777, 0), 0);
	check_open(tree, "above/dir/file", -EPERM);
}

static void test_of_others(void **state)
{
	const struct temp_tree *tree = *state;

	if (geteuid() != 0)
		skip();
	temp_tree_write_text(tree, "dir/file", "x");
	temp_tree_make_dir(tree, "theirs");
	assert_int_equal(symlinkat("../dir/file", tree->fd, "theirs/link"), 0);
	assert_int_equal(fchownat(tree->fd, "theirs", OTHER, OTHER, 0), 0);
	check_open(tree, "theirs/link", -EACCES);
	check_open(tree, "theirs/none", -ENOENT);
	assert_int_equal(fchownat(tree->fd, "dir/file", OTHER, OTHER, 0), 0);
	check_open(tree, "dir/file", -EPERM);
}

/* A descriptor of this process leads to its file. */
static void test_descriptor(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(fd_closep) int fd = -1, again = -1;
	char path[32];

	temp_tree_write_text(tree, "file", "x");
	fd = openat(tree->fd, "file", O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	again = trust_open(path, &reason);
	assert_true(again >= 0);
	assert_int_equal(fchmod(fd, 0666), 0);
	fd_closep(&again);
	again = trust_open(path, &reason);
	assert_int_equal(again, -EPERM);
}

#define test(name_) \
	cmocka_unit_test_setup_teardown(test_##name_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {test(own), test(writable), test(of_others),
	                                   test(descriptor)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
