// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths over mounts. The mounts themselves are made in a namespace of the test's own; a table may also be a text. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/local-path.h"
#include "base/mem.h"
#include "temp-tree.h"

static struct strbuf mounts = STRBUF_INIT;

static int open_at(const struct temp_tree *tree, const char *path)
{
	const struct local_root root = {.fd = tree->fd, .mounts = &mounts};

	return local_path_open(&root, path, FILE_SYSTEMS_LOCAL);
}

static void assert_opens(const struct temp_tree *tree, const char *path, const char *expected)
{
	cleanup_(fd_closep) int fd = open_at(tree, path);
	char text[16] = "";

	if (fd < 0)
		fail_msg("%s: %d", path, fd);
	assert_true(read(fd, text, sizeof(text) - 1) >= 0);
	assert_string_equal(text, expected);
}

static void on_one_mount(void **state)
{
	const struct temp_tree *tree = *state;

	assert_int_equal(local_mounts_read("/proc/self/mountinfo", &mounts), 0);
	temp_tree_write_text(tree, "etc/hostname", "inside");
	assert_int_equal(symlinkat("/etc", tree->fd, "absolute"), 0);
	assert_int_equal(symlinkat("/usr", tree->fd, "outside"), 0);
	assert_int_equal(mkfifoat(tree->fd, "fifo", 0600), 0);
	assert_opens(tree, "etc/hostname", "inside");
	assert_opens(tree, "/absolute/../../etc/hostname", "inside");
	assert_int_equal(open_at(tree, "outside"), -ENOENT);
	assert_int_equal(open_at(tree, "etc/missing"), -ENOENT);
	assert_int_equal(open_at(tree, "fifo"), -EMEDIUMTYPE);
	assert_int_equal(open_at(tree, ""), -EMEDIUMTYPE);
	assert_int_equal(local_mounts_read("/proc/self/missing", &mounts), -ENOENT);
	/* A table that does not have the root's own mount. */
	strbuf_clear(&mounts);
	assert_int_equal(open_at(tree, "etc/hostname"), -EREMOTE);
}

/* Root has a namespace, in which the trees of the tests are made. */
static bool has_namespace;

static void make_namespace(void)
{
	has_namespace = unshare(CLONE_NEWNS) == 0 &&
	                mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static void mount_at(const struct temp_tree *tree, const char *name, const char *type)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "/proc/self/fd/%d/%s", tree->fd, name);
	assert_int_equal(mount("none", strbuf_str(&path), type, 0, NULL), 0);
}

static void unmount_at(const struct temp_tree *tree, const char *name)
{
	cleanup_(strbuf_done) struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "/proc/self/fd/%d/%s", tree->fd, name);
	assert_int_equal(umount2(strbuf_str(&path), MNT_DETACH), 0);
}

/* Two local ones, one below the other, and one of the kernel's own, which is not known as local. */
static void over_mounts(void **state)
{
	const struct temp_tree *tree = *state;
	const struct local_root root = {.fd = tree->fd, .mounts = &mounts};

	if (!has_namespace)
		skip();
	temp_tree_make_dir(tree, "a/b");
	mount_at(tree, "a/b", "tmpfs");
	temp_tree_make_dir(tree, "a/b/c/d");
	mount_at(tree, "a/b/c", "tmpfs");
	temp_tree_write_text(tree, "a/b/c/file", "deep");
	temp_tree_make_dir(tree, "a/sys");
	mount_at(tree, "a/sys", "sysfs");
	assert_int_equal(symlinkat("a/b/c", tree->fd, "link"), 0);
	assert_int_equal(local_mounts_read("/proc/self/mountinfo", &mounts), 0);
	assert_opens(tree, "a/b/c/file", "deep");
	assert_opens(tree, "a//b//c//file", "deep");
	assert_opens(tree, "link/file", "deep");
	assert_int_equal(open_at(tree, "a/b/c"), -EMEDIUMTYPE);
	assert_int_equal(open_at(tree, "a/sys/kernel/uevent_seqnum"), -EREMOTE);
	/* Its own file system would not be asked either. */
	assert_int_equal(local_path_find(&root, "a/sys/kernel"), -EREMOTE);
	assert_int_equal(open_at(tree, "a/b/missing"), -ENOENT);
	unmount_at(tree, "a/sys");
	unmount_at(tree, "a/b/c");
	unmount_at(tree, "a/b");
}

/* Below the root directory the table says what is mounted at a path, and one line that says it is remote is enough. */
static void find_below_the_root_directory(const struct temp_tree *tree)
{
	cleanup_(fd_closep) int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct local_root own = {root_fd, &mounts, true};
	cleanup_(fd_closep) int found = -1;
	cleanup_(mem_freep) char *file = temp_tree_path(tree, "a/b/c/file");

	temp_tree_make_dir(tree, "a/b");
	mount_at(tree, "a/b", "tmpfs");
	temp_tree_make_dir(tree, "a/b/c");
	mount_at(tree, "a/b/c", "tmpfs");
	temp_tree_write_text(tree, "a/b/c/file", "deep");
	assert_int_equal(local_mounts_read("/proc/self/mountinfo", &mounts), 0);
	found = local_path_open(&own, file, FILE_SYSTEMS_LOCAL);
	assert_true(found >= 0);
	strbuf_addf(&mounts, "\n99999999 1 0:99 / %s/a/b/c rw - nfs4 server:/ rw\n", tree->path);
	assert_int_equal(local_path_find(&own, file), -EREMOTE);
	unmount_at(tree, "a/b/c");
	unmount_at(tree, "a/b");
}

static void below_the_root_directory(void **state)
{
	if (!has_namespace)
		skip();
	find_below_the_root_directory(*state);
}

/* The root directory of ctprof may be on any file system, that of another process may not. */
static void on_a_root_of_unknown_kind(void **state)
{
	const struct temp_tree *tree = *state;
	const struct local_root own = {tree->fd, &mounts, true}, other = {tree->fd, &mounts, false};
	cleanup_(fd_closep) int found = -1;

	strbuf_clear(&mounts);
	temp_tree_write_text(tree, "file", "own");
	found = local_path_find(&own, "file");
	assert_true(found >= 0);
	assert_int_equal(local_path_find(&other, "file"), -EREMOTE);
}

/* A mount that was made since the table was read is in no line of it. */
static void mounted_since(void **state)
{
	const struct temp_tree *tree = *state;

	if (!has_namespace)
		skip();
	assert_int_equal(local_mounts_read("/proc/self/mountinfo", &mounts), 0);
	temp_tree_make_dir(tree, "new");
	mount_at(tree, "new", "tmpfs");
	temp_tree_write_text(tree, "new/file", "new");
	assert_int_equal(open_at(tree, "new/file"), -EREMOTE);
	unmount_at(tree, "new");
}

static int free_mounts(void **state)
{
	strbuf_done(&mounts);
	return temp_tree_teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(on_one_mount, temp_tree_setup, free_mounts),
	        cmocka_unit_test_setup_teardown(over_mounts, temp_tree_setup, free_mounts),
	        cmocka_unit_test_setup_teardown(below_the_root_directory, temp_tree_setup,
	                                        free_mounts),
	        cmocka_unit_test_setup_teardown(on_a_root_of_unknown_kind, temp_tree_setup,
	                                        free_mounts),
	        cmocka_unit_test_setup_teardown(mounted_since, temp_tree_setup, free_mounts),
	};

	make_namespace();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
