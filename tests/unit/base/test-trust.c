// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of two users are made by root only. */
#include "base/trust.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/output-place.h"
#include "base/regular-file.h"
#include "temp-tree.h"

enum { OTHER = 4343, USER = 4242, OVERFLOW = 65534 };

static void make_dir(const struct temp_tree *tree, const char *name, uid_t uid, mode_t mode)
{
	temp_tree_make_dir(tree, name);
	assert_int_equal(fchownat(tree->fd, name, uid, (gid_t)uid, 0), 0);
	assert_int_equal(fchmodat(tree->fd, name, mode, 0), 0);
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return is_written;
}

/* Ends a child, with what it found. */
static void end(bool is_right)
{
	_exit(is_right ? 0 : 1);
}

static void check_child(pid_t pid)
{
	int result = -1;

	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &result, 0), pid);
	assert_int_equal(result, 0);
}

static bool become(uid_t uid)
{
	return setgroups(0, NULL) == 0 && setresgid(uid, uid, uid) == 0 &&
	       setresuid(uid, uid, uid) == 0;
}

/* Enters a user namespace that maps this user as @inside and nobody else. */
static bool enter_namespace(uid_t inside)
{
	uid_t uid = geteuid();
	char map[64];

	/* A process that changed its ids may not write its own map otherwise. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 || unshare(CLONE_NEWUSER) < 0)
		return false;
	snprintf(map, sizeof(map), "%u %u 1\n", (unsigned)inside, (unsigned)uid);
	return write_text("/proc/self/uid_map", map) &&
	       write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/gid_map", map);
}

static bool has_namespaces(void)
{
	pid_t pid = fork();
	int result = -1;

	if (pid == 0)
		end(become(USER) && enter_namespace(0));
	return pid > 0 && waitpid(pid, &result, 0) == pid && result == 0;
}

static void test_trust_user(void **state)
{
	pid_t pid;

	(void)state;
	assert_true(trust_user(0));
	assert_true(trust_user(geteuid()));
	assert_false(trust_user(OTHER));
	assert_true(trust_is_own_user(geteuid()));
	assert_false(trust_is_own_user(OTHER));
	if (geteuid() != 0)
		return;
	assert_false(trust_user(OVERFLOW));
	/* It is a user's as any other if all users have a number. */
	pid = fork();
	if (pid == 0)
		end(become(OVERFLOW) && trust_user(OVERFLOW) && trust_is_own_user(OVERFLOW));
	check_child(pid);
}

static bool finds(int dir_fd, const char *path)
{
	cleanup_(output_place_done) struct output_place place = OUTPUT_PLACE_INIT;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	return output_place_find(&place, dir_fd, path, &reason) == 0;
}

/* The victim is in a namespace of its own, in which root and everybody else are 65534. */
static void test_trust_namespace(void **state)
{
	const struct temp_tree *tree = *state;

	if (geteuid() != 0 || !has_namespaces())
		skip();
	assert_int_equal(fchmod(tree->fd, 0755), 0);
	make_dir(tree, "victim", USER, 0755);
	temp_tree_write_text(tree, "victim/file", "before");
	assert_int_equal(fchownat(tree->fd, "victim/file", USER, USER, 0), 0);
	assert_int_equal(symlinkat("file", tree->fd, "victim/link"), 0);
	make_dir(tree, "theirs", OTHER, 0755);
	assert_int_equal(symlinkat("../victim/file", tree->fd, "theirs/link"), 0);
	assert_int_equal(fchownat(tree->fd, "theirs/link", OTHER, OTHER, AT_SYMLINK_NOFOLLOW), 0);
	/* Root of the namespace, and the user whose number stands for all others. */
	for (uid_t inside = 0; inside <= OVERFLOW; inside += OVERFLOW) {
		pid_t pid = fork();

		if (pid == 0)
			end(become(USER) && enter_namespace(inside) && geteuid() == inside &&
			    !trust_user(OVERFLOW) && !trust_is_own_user(OVERFLOW) &&
			    !finds(tree->fd, "theirs/link") &&
			    /* The directory above may be anybody's. */
			    !finds(tree->fd, "victim/link") && finds(tree->fd, "victim/file") &&
			    finds(tree->fd, "/dev/null") && fchdir(tree->fd) == 0 &&
			    chroot(".") == 0 && !finds(AT_FDCWD, "theirs/link") &&
			    finds(AT_FDCWD, "victim/link") == (inside == 0));
		check_child(pid);
	}
}

/* The kernel shows the files of such a process as root's. */
static void test_trust_undumpable(void **state)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct stat status;
	char path[64];
	int ends[2], dir_fd, fd;
	pid_t pid;
	char byte;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		bool is_ready = become(OTHER) && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 &&
		                prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;

		(void)!write(ends[1], is_ready ? "1" : "0", 1);
		pause();
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(byte, '1');
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	dir_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = openat(dir_fd, "environ", O_PATH | O_CLOEXEC);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_uid, 0);
	assert_int_equal(trust_check_file(fd, &reason), -EPERM);
	assert_false(trust_shows_owner(dir_fd));
	close(fd);
	fd = openat(dir_fd, "fd", O_PATH | O_CLOEXEC);
	assert_false(trust_shows_owner(fd));
	assert_false(finds(dir_fd, "cwd/x"));
	assert_false(finds(dir_fd, "fd/0"));
	close(fd);
	close(dir_fd);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(ends[0]);
	close(ends[1]);
}

/* One's own, and procfs itself. */
static void test_trust_procfs(void **state)
{
	static const char *const names[] = {"/proc", "/proc/self", "/proc/self/fd", "/sys",
	                                    "/proc/thread-self"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		cleanup_(fd_closep) int fd = open(names[i], O_PATH | O_CLOEXEC);

		assert_true(trust_shows_owner(fd));
	}
}

/* A group of one's own, and one that an access control list gives to others. */
static void test_trust_group(void **state)
{
	const struct temp_tree_list list = {7, 7, 5, 7, 5, .uid = OTHER};
	const struct temp_tree *tree = *state;
	bool has_lists;
	pid_t pid;

	if (geteuid() != 0)
		skip();
	assert_int_equal(fchmod(tree->fd, 0755), 0);
	make_dir(tree, "plain", USER, 0775);
	make_dir(tree, "listed", USER, 0755);
	has_lists = temp_tree_set_list(tree, "listed", false, &list);
	pid = fork();
	if (pid == 0) {
		struct stat plain, listed;
		int plain_fd = openat(tree->fd, "plain", O_PATH);
		int listed_fd = openat(tree->fd, "listed", O_PATH);

		end(become(USER) && fstat(plain_fd, &plain) == 0 &&
		    fstat(listed_fd, &listed) == 0 && !trust_others_may_add(plain_fd, &plain) &&
		    trust_others_may_add(listed_fd, &listed) == has_lists);
	}
	check_child(pid);
}

static int check_directory(const struct temp_tree *tree, const char *name)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(fd_closep) int fd = openat(tree->fd, name, O_PATH | O_CLOEXEC);

	return trust_check_directory(fd, &reason);
}

static void test_trust_directory(void **state)
{
	const struct temp_tree *tree = *state;

	make_dir(tree, "own", geteuid(), 0755);
	make_dir(tree, "own/open", geteuid(), 0777);
	make_dir(tree, "own/open/own", geteuid(), 0755);
	make_dir(tree, "own/sticky", geteuid(), 01777);
	make_dir(tree, "own/sticky/own", geteuid(), 0755);
	assert_int_equal(check_directory(tree, "own"), 0);
	assert_int_equal(check_directory(tree, "own/open"), -EPERM);
	assert_int_equal(check_directory(tree, "own/open/own"), -EPERM);
	assert_int_equal(check_directory(tree, "own/sticky"), -EPERM);
	assert_int_equal(check_directory(tree, "own/sticky/own"), 0);
	if (geteuid() != 0)
		return;
	make_dir(tree, "theirs", OTHER, 01755);
	make_dir(tree, "theirs/own", 0, 0755);
	assert_int_equal(check_directory(tree, "theirs"), -EPERM);
	assert_int_equal(check_directory(tree, "theirs/own"), -EPERM);
}

static bool others_may_choose(const struct temp_tree *tree, const char *name)
{
	cleanup_(fd_closep) int fd = openat(tree->fd, name, O_PATH | O_CLOEXEC);
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	return trust_others_may_choose(fd, &status);
}

static void test_trust_choice(void **state)
{
	const struct temp_tree *tree = *state;

	make_dir(tree, "own", geteuid(), 0755);
	make_dir(tree, "own/open", geteuid(), 0777);
	make_dir(tree, "own/open/own", geteuid(), 0755);
	make_dir(tree, "own/open/own/own", geteuid(), 0700);
	make_dir(tree, "own/sticky", geteuid(), 01777);
	make_dir(tree, "own/sticky/own", geteuid(), 0755);
	make_dir(tree, "own/shared", geteuid(), 01777);
	make_dir(tree, "own/shared/own", geteuid(), 0755);
	make_dir(tree, "own/sticky/moved", geteuid(), 01777);
	make_dir(tree, "own/sticky/moved/own", geteuid(), 0755);
	assert_false(others_may_choose(tree, "own"));
	assert_true(others_may_choose(tree, "own/open"));
	assert_true(others_may_choose(tree, "own/open/own"));
	assert_true(others_may_choose(tree, "own/open/own/own"));
	assert_true(others_may_choose(tree, "own/sticky"));
	assert_false(others_may_choose(tree, "own/sticky/own"));
	/* One that others may write can have come from another directory. */
	assert_false(others_may_choose(tree, "own/shared/own"));
	assert_true(others_may_choose(tree, "own/sticky/moved/own"));
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        /* First: the map of a process is read once. */
	        in_tree(test_trust_namespace),
	        cmocka_unit_test(test_trust_user),
	        cmocka_unit_test(test_trust_undumpable),
	        cmocka_unit_test(test_trust_procfs),
	        in_tree(test_trust_group),
	        in_tree(test_trust_directory),
	        in_tree(test_trust_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
