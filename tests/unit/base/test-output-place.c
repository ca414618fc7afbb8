// SPDX-License-Identifier: GPL-2.0-or-later
/* Output files in directories that others may write. Files of two users are made by root only. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "output-places.h"
#include "temp-tree.h"

/* It is a new regular file of this user's, and nothing else has happened in its directory. */
static void check_is(const struct temp_tree *tree, const char *name, mode_t mode)
{
	struct stat status;

	temp_tree_assert_text(tree, name, "text");
	assert_int_equal(fstatat(tree->fd, name, &status, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(status.st_mode, S_IFREG | mode);
	assert_int_equal(status.st_uid, geteuid());
	assert_int_equal(status.st_nlink, 1);
}

/* A file that somebody else has prepared, in every kind of directory. */
static void test_place_file_of_another(void **state)
{
	static const struct {
		uid_t owner;
		mode_t mode;
	} directories[] = {{0, 01777}, {0, 0777}, {0, 0755}, {OTHER, 0755}, {OTHER, 01777}};
	const struct temp_tree *tree = *state;
	struct stat before, after;

	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		place_make_dir(tree, "dir", directories[i].owner, directories[i].mode);
		place_make_file(tree, "dir/file", OTHER, 06777);
		assert_int_equal(fstatat(tree->fd, "dir/file", &before, 0), 0);
		assert_int_equal(place_write(tree, "dir/file"), 0);
		check_is(tree, "dir/file", 0600);
		assert_int_equal(fstatat(tree->fd, "dir/file", &after, 0), 0);
		assert_int_not_equal(before.st_ino, after.st_ino);
		assert_int_equal(after.st_gid, getegid());
		temp_tree_remove(tree, "dir");
	}
}

static void test_place_refused(void **state)
{
	static const mode_t modes[] = {01777, 0777, 01775, 0775};
	const struct temp_tree *tree = *state;

	if (geteuid() != 0)
		skip();
	temp_tree_write_text(tree, "far/file", "before");
	for (size_t i = 0; i < ARRAY_SIZE(modes) + 1; i++) {
		if (i < ARRAY_SIZE(modes))
			place_make_dir(tree, "dir", 0, modes[i]);
		else
			place_make_dir(tree, "dir", OTHER, 0755);
		place_make_link(tree, "../far/file", "dir/link", OTHER);
		place_make_link(tree, "../far/new", "dir/dangling", OTHER);
		place_make_link(tree, "../far", "dir/far", OTHER);
		place_make_fifo(tree, "dir/fifo", OTHER);
		place_check_refused(
		        tree, "dir/link",
		        "'link' is a symbolic link of user 65534 in a directory that others "
		        "may write; name what it leads to");
		place_check_refused(tree, "dir/dangling", NULL);
		place_check_refused(
		        tree, "dir/far/file",
		        "'far' is a symbolic link of user 65534 in a directory that others "
		        "may write; name what it leads to");
		place_check_refused(tree, "dir/far/new", NULL);
		place_check_refused(tree, "dir/fifo",
		                    "'fifo' is a FIFO of user 65534 in a directory that others may "
		                    "write; open it in the shell, and name /dev/fd/N");
		assert_int_equal(temp_tree_count(tree, "dir"), 4);
		temp_tree_remove(tree, "dir");
	}
	temp_tree_assert_text(tree, "far/file", "before");
	assert_int_equal(temp_tree_count(tree, "far"), 1);
}

/* Writes a file, and through a link and a FIFO, in a directory of this user's. */
static void check_below(const struct temp_tree *tree, bool others_may_exchange)
{
	cleanup_(fd_closep) int fd = -1;

	place_make_file(tree, "above/own/file", geteuid(), 0644);
	place_make_link(tree, "../../far/file", "above/own/link", geteuid());
	assert_int_equal(mkfifoat(tree->fd, "above/own/fifo", 0600), 0);
	if (geteuid() == 0)
		assert_int_equal(fchownat(tree->fd, "above/own/file", 0, GROUP, 0), 0);
	assert_int_equal(place_write(tree, "above/own/new"), 0);
	check_is(tree, "above/own/new", 0600);
	assert_int_equal(place_write(tree, "above/own/file"), 0);
	check_is(tree, "above/own/file", others_may_exchange ? 0600 : 0644);
	if (geteuid() == 0) {
		struct stat status;

		assert_int_equal(fstatat(tree->fd, "above/own/file", &status, 0), 0);
		assert_int_equal(status.st_gid, others_may_exchange ? 0 : GROUP);
	}
	temp_tree_write_text(tree, "far/file", "before");
	fd = openat(tree->fd, "above/own/fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(place_write(tree, "above/own/link"), others_may_exchange ? -EACCES : 0);
	temp_tree_assert_text(tree, "far/file", others_may_exchange ? "before" : "text");
	assert_int_equal(place_write(tree, "above/own/fifo"), others_may_exchange ? -EACCES : 0);
	temp_tree_remove(tree, "above/own/file");
	temp_tree_remove(tree, "above/own/new");
	temp_tree_remove(tree, "above/own/link");
	temp_tree_remove(tree, "above/own/fifo");
}

/* The owner of a directory may exchange two in it that belong to another user. */
static void test_place_exchanged(void **state)
{
	static const struct {
		uid_t owner;
		mode_t mode;
		bool others_may_exchange;
	} cases[] = {{0, 0755, false}, {0, 01777, false},   {0, 0777, true},
	             {0, 0775, true},  {OTHER, 0755, true}, {OTHER, 01777, true}};
	const struct temp_tree *tree = *state;

	temp_tree_make_dir(tree, "far");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* The group of a user's own is no other one. */
		if (geteuid() != 0 && (cases[i].owner != 0 || cases[i].mode == 0775))
			continue;
		place_make_dir(tree, "above", cases[i].owner == 0 ? geteuid() : OTHER,
		               cases[i].mode);
		place_make_dir(tree, "above/own", geteuid(), 0755);
		check_below(tree, cases[i].others_may_exchange);
		if (cases[i].others_may_exchange) {
			cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

			place_make_link(tree, "../../far/file", "above/own/link", geteuid());
			strbuf_addf(
			        &reason,
			        "'link' is a symbolic link of user %u in a directory that others "
			        "may exchange; name what it leads to",
			        (unsigned)geteuid());
			place_check_refused(tree, "above/own/link", strbuf_str(&reason));
			/* The directory itself may be written by all, too. */
			assert_int_equal(fchmodat(tree->fd, "above/own", 01777, 0), 0);
			place_check_refused(tree, "above/own/link", NULL);
		}
		temp_tree_remove(tree, "above");
	}
}

/* /dev/null is what it is everywhere. */
static void test_place_null(void **state)
{
	const struct temp_tree *tree = *state;

	if (geteuid() != 0)
		skip();
	place_make_dir(tree, "dir", OTHER, 01777);
	if (mknodat(tree->fd, "dir/null", S_IFCHR | 0666, makedev(1, 3)) < 0)
		skip();
	place_make_dir(tree, "dir/deep", 0, 01777);
	assert_int_equal(mknodat(tree->fd, "dir/deep/memory", S_IFCHR | 0600, makedev(1, 1)), 0);
	place_check_refused(tree, "dir/deep/memory", NULL);
	if (place_write(tree, "dir/null") != 0)
		assert_int_equal(place_write(tree, "dir/null"), -EACCES); /* mounted "nodev" */
}

/* Other users cannot create files in this directory. */
static void test_place_of_another_in_own(void **state)
{
	const struct temp_tree *tree = *state;
	char text[8] = "";
	int fd;

	if (geteuid() != 0)
		skip();
	place_make_dir(tree, "dir", 0, 0755);
	temp_tree_write_text(tree, "far/file", "before");
	place_make_link(tree, "../far/file", "dir/link", OTHER);
	place_make_fifo(tree, "dir/fifo", OTHER);
	assert_int_equal(place_write(tree, "dir/link"), 0);
	temp_tree_assert_text(tree, "far/file", "text");
	fd = openat(tree->fd, "dir/fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(place_write(tree, "dir/fifo"), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	close(fd);
}

/* The permission bits of a user's own file that the new one gets: none if others may have chosen the file. */
static void test_place_bits(void **state)
{
	static const struct {
		mode_t dir;
		gid_t group; /* of the directory; 0: one's own */
		bool linked;
		mode_t mode;
	} cases[] = {
	        {0755, 0, false, 0644}, {0755, 0, true, 0644},      {01777, 0, false, 0600},
	        {01777, 0, true, 0600}, {0777, 0, false, 0600},     {0775, 0, false, 0644},
	        {0775, 0, true, 0600},  {0775, GROUP, false, 0600}, {01775, GROUP, false, 0600},
	};
	const struct temp_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (cases[i].group != 0 && geteuid() != 0)
			continue;
		place_make_dir(tree, "dir", geteuid(), cases[i].dir);
		assert_int_equal(fchownat(tree->fd, "dir", (uid_t)-1,
		                          cases[i].group ? cases[i].group : getegid(), 0),
		                 0);
		temp_tree_write_text(tree, "dir/file", "before");
		assert_int_equal(fchmodat(tree->fd, "dir/file", 0644, 0), 0);
		if (cases[i].linked)
			assert_int_equal(linkat(tree->fd, "dir/file", tree->fd, "other-name", 0),
			                 0);
		assert_int_equal(place_write(tree, "dir/file"), 0);
		/* The group of root has other users in it. */
		check_is(tree, "dir/file",
		         cases[i].dir == 0775 && geteuid() == 0 ? 0600 : cases[i].mode);
		if (cases[i].linked) {
			temp_tree_assert_text(tree, "other-name", "before");
			temp_tree_remove(tree, "other-name");
		}
		temp_tree_remove(tree, "dir");
	}
	/* Nor where the directory is somebody's, who may rename what is in it. */
	if (geteuid() == 0) {
		place_make_dir(tree, "dir", OTHER, 0755);
		place_make_file(tree, "dir/file", 0, 0644);
		assert_int_equal(place_write(tree, "dir/file"), 0);
		check_is(tree, "dir/file", 0600);
	}
}

static void test_place_group(void **state)
{
	const struct temp_tree *tree = *state;
	struct stat status;

	if (geteuid() != 0)
		skip();
	place_make_file(tree, "file", 0, 0640);
	assert_int_equal(fchownat(tree->fd, "file", 0, GROUP, 0), 0);
	assert_int_equal(place_write(tree, "file"), 0);
	check_is(tree, "file", 0640);
	assert_int_equal(fstatat(tree->fd, "file", &status, 0), 0);
	assert_int_equal(status.st_gid, GROUP);

	/* Two files of OTHER's, of a group that it is in and of one that it is not in. */
	place_make_dir(tree, "dir", OTHER, 0700);
	place_make_file(tree, "dir/in", OTHER, 0664);
	place_make_file(tree, "dir/out", OTHER, 0664);
	assert_int_equal(fchownat(tree->fd, "dir/in", OTHER, GROUP, 0), 0);
	assert_int_equal(fchownat(tree->fd, "dir/out", OTHER, GROUP + 1, 0), 0);
	assert_int_equal(fchmod(tree->fd, 0755), 0);
	if (fork() == 0) {
		gid_t groups[] = {GROUP};

		_exit(setgroups(1, groups) == 0 && setresgid(OTHER, OTHER, OTHER) == 0 &&
		                      setresuid(OTHER, OTHER, OTHER) == 0 &&
		                      place_write(tree, "dir/in") == 0 &&
		                      place_write(tree, "dir/out") == 0
		              ? 0
		              : 1);
	}
	{
		int result;

		assert_true(wait(&result) > 0);
		assert_int_equal(result, 0);
	}
	assert_int_equal(fstatat(tree->fd, "dir/in", &status, 0), 0);
	assert_int_equal(status.st_gid, GROUP);
	assert_int_equal(status.st_mode, S_IFREG | 0664);
	assert_int_equal(fstatat(tree->fd, "dir/out", &status, 0), 0);
	assert_int_equal(status.st_gid, OTHER);
	assert_int_equal(status.st_mode, S_IFREG | 0604);
}

/* The bits of the group are those of the mask of an access control list, and say nothing about the group. */
static void test_place_access_control_list(void **state)
{
	const struct temp_tree_list list = {6, 6, 0, 6, 0, .uid = OTHER};
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *below = temp_tree_path(tree, "dir/file");

	temp_tree_write_text(tree, "file", "before");
	if (!temp_tree_set_list(tree, "file", false, &list))
		skip();
	assert_int_equal(place_write(tree, "file"), 0);
	check_is(tree, "file", 0600);

	/* A directory's list for new files gives nobody a file that takes over its group's bits. */
	temp_tree_write_text(tree, "dir/file", "before");
	assert_int_equal(fchmodat(tree->fd, "dir/file", 0660, 0), 0);
	assert_true(temp_tree_set_list(tree, "dir", true, &list));
	assert_int_equal(place_write(tree, "dir/file"), 0);
	check_is(tree, "dir/file", 0660);
	assert_int_equal(getxattr(below, "system.posix_acl_access", NULL, 0), -1);
}

static void test_place_links(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *far = temp_tree_path(tree, "far");
	char name[16];

	temp_tree_make_dir(tree, "far/deep");
	temp_tree_make_dir(tree, "near");
	place_make_link(tree, far, "absolute", geteuid());
	place_make_link(tree, "near/../far/./deep", "relative", geteuid());
	place_make_link(tree, "absolute//deep/", "chain", geteuid());
	place_make_link(tree, "relative/file", "end", geteuid());
	place_make_link(tree, "chain/missing", "dangling", geteuid());
	place_make_link(tree, "loop", "loop", geteuid());
	assert_int_equal(place_write(tree, "absolute/deep/file"), 0);
	assert_int_equal(place_write(tree, "relative/file"), 0);
	assert_int_equal(place_write(tree, "chain///file"), 0);
	assert_int_equal(place_write(tree, "far/deep/../../chain/../deep/file"), 0);
	assert_int_equal(place_write(tree, "end"), 0);
	assert_int_equal(temp_tree_count(tree, "far/deep"), 1);
	assert_int_equal(place_write(tree, "dangling"), -ENOENT);
	assert_int_equal(place_write(tree, "loop"), -ELOOP);
	assert_int_equal(place_write(tree, "loop/file"), -ELOOP);
	assert_int_equal(place_write(tree, "end/"), -ENOTDIR);
	assert_int_equal(place_write(tree, "end/file"), -ENOTDIR);
	assert_int_equal(place_write(tree, "chain/"), -EISDIR);
	assert_int_equal(place_write(tree, "chain/.."), -EISDIR);
	assert_int_equal(place_write_path("/", NULL), -EISDIR);
	assert_int_equal(temp_tree_count(tree, "far/deep"), 1);

	/* 40 links and not one more. */
	place_make_link(tree, "far/deep", "link-0", geteuid());
	for (int i = 1; i <= 40; i++) {
		char text[16];

		snprintf(text, sizeof(text), "link-%d", i - 1);
		snprintf(name, sizeof(name), "link-%d", i);
		place_make_link(tree, text, name, geteuid());
	}
	assert_int_equal(place_write(tree, "link-39/file"), 0);
	assert_int_equal(place_write(tree, "link-40/file"), -ELOOP);
}

/* Under each of its names, the descriptor itself is written to, at its offset. */
static void test_place_descriptor(void **state)
{
	static const char *const forms[] = {"/dev/fd/%d", "/proc/self/fd/%d", "//dev//fd/%d",
	                                    "/dev/../dev/fd/%d"};
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *link = temp_tree_path(tree, "link");
	int fd = openat(tree->fd, "file", O_RDWR | O_CREAT | O_CLOEXEC, 0644), ends[2];
	char path[64], text[8] = "";

	assert_int_equal(write(fd, "begin ", 6), 6);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(path, sizeof(path), forms[i], fd);
#pragma GCC diagnostic pop
		assert_int_equal(place_write_path(path, NULL), 0);
	}
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	place_make_link(tree, path, "link", geteuid());
	assert_int_equal(place_write_path(link, NULL), 0);
	temp_tree_assert_text(tree, "file", "begin texttexttexttexttext");
	close(fd);
	assert_int_equal(place_write_path(path, NULL), -EBADF);
	fd = openat(tree->fd, "file", O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_int_equal(place_write_path(path, NULL), -EBADF);
	close(fd);

	/* A directory that is not the one of descriptors is an ordinary one. */
	temp_tree_make_dir(tree, "dev/fd");
	assert_int_equal(place_write(tree, "dev/fd/1"), 0);
	check_is(tree, "dev/fd/1", 0600);

	/* The links of other processes in procfs lead to the open file. */
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), ends[1]);
	assert_int_equal(place_write_path(path, NULL), 0);
	assert_int_equal(read(ends[0], text, sizeof(text)), 4);
	close(ends[0]);
	close(ends[1]);
	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)getpid());
	assert_int_equal(place_write_path(path, NULL), -EISDIR);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_place_file_of_another),
	        in_tree(test_place_refused),
	        in_tree(test_place_exchanged),
	        in_tree(test_place_null),
	        in_tree(test_place_of_another_in_own),
	        in_tree(test_place_bits),
	        in_tree(test_place_group),
	        in_tree(test_place_access_control_list),
	        in_tree(test_place_links),
	        in_tree(test_place_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
