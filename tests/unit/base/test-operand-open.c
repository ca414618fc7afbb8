// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of two users are made by root only. */
#include "base/operand-open.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "temp-tree.h"

enum { OTHER = 65534, ALL = OPERAND_FILE | OPERAND_DIRECTORY | OPERAND_STREAM };

static void check_open(const struct temp_tree *tree, const char *name, unsigned kinds, int expected)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(fd_closep) int fd = operand_open(tree->fd, name, kinds, &reason);

	assert_int_equal(fd < 0 ? fd : 0, expected);
	assert_int_equal(reason.len > 0, expected < 0);
}

static void test_kinds(void **state)
{
	const struct temp_tree *tree = *state;

	temp_tree_write_text(tree, "dir/file", "x");
	assert_int_equal(symlinkat("dir/", tree->fd, "link"), 0);
	assert_int_equal(mkfifoat(tree->fd, "fifo", 0600), 0);
	check_open(tree, "link/file", ALL, 0);
	check_open(tree, "link/file/", ALL, -ENOTDIR);
	check_open(tree, "link/none", ALL, -ENOENT);
	check_open(tree, "link", ALL, 0);
	check_open(tree, "dir//", ALL, 0);
	check_open(tree, ".", ALL, 0);
	check_open(tree, "dir/..", OPERAND_DIRECTORY, 0);
	check_open(tree, "/", OPERAND_DIRECTORY, 0);
	check_open(tree, "", ALL, -ENOENT);
	check_open(tree, "dir", OPERAND_FILE, -EMEDIUMTYPE);
	check_open(tree, "dir/file", OPERAND_DIRECTORY, -EMEDIUMTYPE);
	/* It would wait for a writer. */
	check_open(tree, "fifo", OPERAND_FILE | OPERAND_DIRECTORY, -EMEDIUMTYPE);
	check_open(tree, "/dev/zero", ALL, 0);
	check_open(tree, "/proc/self/stat", ALL, 0);
}

/* A file is read from its begin, a pipe is the one that is open, and its writer may have ended. */
static void test_descriptor(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(fd_closep) int fd = -1, again = -1;
	char path[32], byte = 0;
	int ends[2];

	temp_tree_write_text(tree, "file", "xy");
	fd = openat(tree->fd, "file", O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, &byte, 1), 1);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	/* A descriptor of the program itself is none of the caller's. */
	again = operand_open(AT_FDCWD, path, ALL, &reason);
	assert_int_equal(again, -EBADF);
	assert_text(&reason, "Bad file descriptor");
	assert_int_equal(fcntl(fd, F_SETFD, 0), 0);
	strbuf_clear(&reason);
	again = operand_open(AT_FDCWD, path, ALL, &reason);
	assert_int_equal(read(again, &byte, 1), 1);
	assert_int_equal(byte, 'x');
	fd_closep(&again);
	fd_closep(&fd);

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	fd = ends[0];
	assert_int_equal(fcntl(fd, F_SETFD, 0), 0);
	assert_int_equal(write(ends[1], "z", 1), 1);
	assert_int_equal(close(ends[1]), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = operand_open(AT_FDCWD, path, OPERAND_FILE, &reason);
	assert_int_equal(again, -EMEDIUMTYPE);
	again = operand_open(AT_FDCWD, path, ALL, &reason);
	assert_int_equal(read(again, &byte, 1), 1);
	assert_int_equal(byte, 'z');
	assert_int_equal(read(again, &byte, 1), 0);
}

static void make_link(const struct temp_tree *tree, const char *target, const char *name)
{
	assert_int_equal(symlinkat(target, tree->fd, name), 0);
	assert_int_equal(fchownat(tree->fd, name, OTHER, OTHER, AT_SYMLINK_NOFOLLOW), 0);
}

static void make_theirs(const struct temp_tree *tree, mode_t mode, uid_t owner)
{
	temp_tree_make_dir(tree, "theirs");
	assert_int_equal(fchownat(tree->fd, "theirs", owner, owner, 0), 0);
	assert_int_equal(fchmodat(tree->fd, "theirs", mode, 0), 0);
}

/* Others who may write a directory lead to stored files, and to nothing else. */
static void test_of_others(void **state)
{
	const struct temp_tree *tree = *state;

	if (geteuid() != 0)
		skip();
	temp_tree_write_text(tree, "dir/file", "x");
	make_theirs(tree, 0755, OTHER);
	make_link(tree, "../dir/file", "theirs/file");
	make_link(tree, "../dir", "theirs/dir");
	make_link(tree, "/dev/zero", "theirs/zero");
	make_link(tree, "/proc/version", "theirs/version");
	make_link(tree, "/proc/self", "theirs/self");
	make_link(tree, "/proc", "theirs/proc");
	make_link(tree, "/dev/stdin", "theirs/stdin");
	make_link(tree, "file", "theirs/twice");
	make_link(tree, "none", "theirs/dangling");
	assert_int_equal(mkfifoat(tree->fd, "theirs/fifo", 0666), 0);
	check_open(tree, "theirs/file", ALL, 0);
	check_open(tree, "theirs/twice", ALL, 0);
	check_open(tree, "theirs/dir/file", ALL, 0);
	check_open(tree, "theirs/dir", ALL, 0);
	check_open(tree, "theirs/dangling", ALL, -ENOENT);
	check_open(tree, "theirs/zero", ALL, -EACCES);
	check_open(tree, "theirs/version", ALL, -EACCES);
	check_open(tree, "theirs/self", ALL, -EACCES);
	check_open(tree, "theirs/proc", ALL, -EACCES);
	check_open(tree, "theirs/proc/version", ALL, -EACCES);
	check_open(tree, "theirs/proc/self/stat", ALL, -EACCES);
	check_open(tree, "theirs/stdin", ALL, -EACCES);
	check_open(tree, "theirs/fifo", ALL, -EACCES);
}

/* The rule is that of fs.protected_symlinks. */
static void test_sticky(void **state)
{
	const struct temp_tree *tree = *state;

	if (geteuid() != 0)
		skip();
	temp_tree_write_text(tree, "dir/file", "x");
	make_theirs(tree, 01777, 0);
	make_link(tree, "../dir/file", "theirs/file");
	check_open(tree, "theirs/file", ALL, -EACCES);
	assert_int_equal(fchownat(tree->fd, "theirs", OTHER, OTHER, 0), 0);
	check_open(tree, "theirs/file", ALL, 0);
	assert_int_equal(fchownat(tree->fd, "theirs", 1, 1, 0), 0);
	check_open(tree, "theirs/file", ALL, -EACCES);
	assert_int_equal(fchownat(tree->fd, "theirs/file", 0, 0, AT_SYMLINK_NOFOLLOW), 0);
	check_open(tree, "theirs/file", ALL, 0);
}

/* Own links lead everywhere, and own FIFOs are opened, in a directory where others can add files as well. */
static void test_own(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(fd_closep) int writer = -1;

	make_theirs(tree, 01777, geteuid());
	assert_int_equal(symlinkat("/dev/zero", tree->fd, "theirs/zero"), 0);
	assert_int_equal(symlinkat("/proc/self/stat", tree->fd, "theirs/stat"), 0);
	assert_int_equal(mkfifoat(tree->fd, "theirs/fifo", 0600), 0);
	check_open(tree, "theirs/zero", ALL, 0);
	check_open(tree, "theirs/stat", ALL, 0);
	writer = openat(tree->fd, "theirs/fifo", O_RDWR | O_CLOEXEC);
	check_open(tree, "theirs/fifo", ALL, 0);
}

#define test(name_) \
	cmocka_unit_test_setup_teardown(test_##name_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {test(kinds), test(descriptor), test(of_others),
	                                   test(sticky), test(own)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
