// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/helper-guard.h"
#include "base/helper.h"
#include "temp-tree.h"

/* A helper that keeps nothing but the guard; the pipe says when. */
static pid_t start_helper(const struct helper_guard *guard)
{
	int pipe_fds[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		(void)close_range(0, (unsigned)guard->helper_fd - 1, 0);
		/* The pipe comes last. */
		(void)close_range((unsigned)guard->helper_fd + 1, ~0U, 0);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	close(pipe_fds[1]);
	assert_int_equal(read(pipe_fds[0], &byte, 1), 0);
	close(pipe_fds[0]);
	return pid;
}

static void end(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static bool can_enter(int dir_fd)
{
	struct helper_guard guard = HELPER_GUARD_INIT;
	bool entered = helper_guard_enter_at(&guard, dir_fd) == 0;

	helper_guard_leave(&guard);
	return entered;
}

/* Captures at the same time do not mind each other's helpers. */
static void test_at_the_same_time(void **state)
{
	const struct temp_tree *tree = *state;
	struct helper_guard one = HELPER_GUARD_INIT, other = HELPER_GUARD_INIT;
	pid_t helpers[2];

	assert_int_equal(helper_guard_enter_at(&one, tree->fd), 0);
	helpers[0] = start_helper(&one);
	assert_int_equal(helper_guard_enter_at(&one, tree->fd), 0);
	assert_int_equal(helper_guard_enter_at(&other, tree->fd), 0);
	helpers[1] = start_helper(&other);
	assert_true(can_enter(tree->fd));
	end(helpers[0]);
	end(helpers[1]);
	helper_guard_leave(&one);
	helper_guard_leave(&other);
	assert_true(can_enter(tree->fd));
}

static void test_left_behind(void **state)
{
	const struct temp_tree *tree = *state;
	struct helper_guard guard = HELPER_GUARD_INIT, next = HELPER_GUARD_INIT;
	pid_t helper;

	assert_int_equal(helper_guard_enter_at(&guard, tree->fd), 0);
	helper = start_helper(&guard);
	helper_guard_leave(&guard);
	assert_int_equal(helper_guard_enter_at(&next, tree->fd), -EBUSY);
	assert_int_equal(next.helper_fd, -1);
	end(helper);
	/* The answer stays what it was until it is asked for anew. */
	assert_int_equal(helper_guard_enter_at(&next, tree->fd), -EBUSY);
	helper_guard_leave(&next);
	assert_int_equal(helper_guard_enter_at(&next, tree->fd), 0);
	helper_guard_leave(&next);
}

/* A file that others may write, or that is none, is no guard, and without one no helper is started. */
static void test_file_of_others(void **state)
{
	const struct temp_tree *tree = *state;
	struct helper_guard guard = HELPER_GUARD_INIT;

	temp_tree_write_text(tree, "helpers", "");
	assert_int_equal(fchmodat(tree->fd, "helpers", 0622, 0), 0);
	assert_int_equal(helper_guard_enter_at(&guard, tree->fd), -ENOLCK);
	assert_int_equal(guard.helper_fd, -1);
	helper_guard_leave(&guard);
	temp_tree_remove(tree, "helpers");
	assert_int_equal(symlinkat("elsewhere", tree->fd, "helpers"), 0);
	assert_int_equal(helper_guard_enter_at(&guard, tree->fd), -ENOLCK);
	assert_int_equal(guard.helper_fd, -1);
	assert_int_equal(faccessat(tree->fd, "elsewhere", F_OK, 0), -1);
}

static void test_no_directory(void **state)
{
	struct helper_guard guard = HELPER_GUARD_INIT;

	(void)state;
	assert_int_equal(helper_guard_enter_at(&guard, -1), -ENOLCK);
	assert_int_equal(guard.helper_fd, -1);
	/* The refusal stands, also where there would be a directory now. */
	assert_int_equal(helper_guard_enter(&guard), -ENOLCK);
	helper_guard_leave(&guard);
}

static ino_t inode_of(int fd)
{
	struct stat status;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	assert_int_equal(status.st_uid, geteuid());
	return status.st_ino;
}

/* Captures of one user find the same directory in one that all may write, whatever others have put there. */
static void test_shared_directory(void **state)
{
	const struct temp_tree *tree = *state;
	struct helper_guard guard = HELPER_GUARD_INIT, next = HELPER_GUARD_INIT;
	int first, second;
	pid_t helper;

	assert_int_equal(fchmod(tree->fd, 0777), 0);
	assert_int_equal(helper_guard_open_shared(tree->fd), -1);
	assert_int_equal(fchmod(tree->fd, 01777), 0);
	temp_tree_write_text(tree, "ctprof.0000000000000000", "");
	assert_int_equal(symlinkat("/", tree->fd, "ctprof.0000000000000001"), 0);
	assert_int_equal(mkdirat(tree->fd, "ctprof.0000000000000002", 0), 0);
	assert_int_equal(fchmodat(tree->fd, "ctprof.0000000000000002", 0777, 0), 0);
	assert_int_equal(mkdirat(tree->fd, "ctprof.short", 0700), 0);
	if (geteuid() == 0) {
		assert_int_equal(mkdirat(tree->fd, "ctprof.0000000000000003", 0700), 0);
		assert_int_equal(fchownat(tree->fd, "ctprof.0000000000000003", 12345, 12345, 0), 0);
	}
	first = helper_guard_open_shared(tree->fd);
	second = helper_guard_open_shared(tree->fd);
	assert_int_equal(inode_of(first), inode_of(second));
	assert_int_equal(helper_guard_enter_at(&guard, first), 0);
	helper = start_helper(&guard);
	helper_guard_leave(&guard);
	assert_int_equal(helper_guard_enter_at(&next, second), -EBUSY);
	helper_guard_leave(&next);
	end(helper);
	assert_int_equal(helper_guard_enter_at(&next, second), 0);
	helper_guard_leave(&next);
	close(first);
	close(second);
}

/* Without descriptors nothing is known about the directories that are there, and none is added to them. */
static void test_no_descriptors(void **state)
{
	const struct temp_tree *tree = *state;
	int first = dup(tree->fd);
	struct rlimit before, fewer;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(fchmod(tree->fd, 01777), 0);
	close(helper_guard_open_shared(tree->fd));
	assert_int_equal(temp_tree_count(tree, "."), 1);
	close(first);
	/* None for the list, and then none for an entry of it. */
	for (rlim_t more = 0; more <= 1; more++) {
		fewer = before;
		fewer.rlim_cur = (rlim_t)first + more;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &fewer), 0);
		assert_int_equal(helper_guard_open_shared(tree->fd), -1);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_int_equal(temp_tree_count(tree, "."), 1);
	}
}

/* Others can mount there, and have a server that says the directory is ours, or nothing. */
static void test_mounted(void **state)
{
	const struct temp_tree *tree = *state;
	static const char name[] = "ctprof.0000000000000000";
	int status;
	pid_t pid;

	if (geteuid() != 0)
		skip();
	assert_int_equal(fchmod(tree->fd, 01777), 0);
	assert_int_equal(mkdirat(tree->fd, name, 0700), 0);
	pid = fork();
	if (pid == 0) {
		struct stat there, opened;

		/* In a chroot / is no mount; then the mount goes on to others, until it is undone. */
		if (unshare(CLONE_NEWNS) < 0 || chdir(tree->path) < 0)
			_exit(77);
		(void)mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
		if (mount("none", name, "tmpfs", 0, "mode=700") < 0)
			_exit(77);
		if (fstatat(AT_FDCWD, name, &there, 0) < 0 ||
		    fstat(helper_guard_open_shared(fd_open_path_at(AT_FDCWD, ".")), &opened) < 0)
			_exit(1);
		(void)umount2(name, MNT_DETACH);
		_exit(there.st_dev == opened.st_dev);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

/* Ours may be behind the others. */
static void test_flooded(void **state)
{
	enum { ENTRIES = 20001 };
	const struct temp_tree *tree = *state;
	char name[16];

	assert_int_equal(fchmod(tree->fd, 01777), 0);
	close(helper_guard_open_shared(tree->fd));
	assert_int_equal(mknodat(tree->fd, "0", S_IFREG | 0600, 0), 0);
	for (int i = 1; i < ENTRIES; i++) {
		snprintf(name, sizeof(name), "%d", i);
		/* File systems limit the links of a file. */
		if (linkat(tree->fd, "0", tree->fd, name, 0) < 0)
			assert_int_equal(mknodat(tree->fd, name, S_IFREG | 0600, 0), 0);
	}
	assert_int_equal(helper_guard_open_shared(tree->fd), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_at_the_same_time, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_left_behind, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_file_of_others, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test(test_no_directory),
	        cmocka_unit_test_setup_teardown(test_shared_directory, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_no_descriptors, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_mounted, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_flooded, temp_tree_setup, temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
