// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/output.h"
#include "temp-tree.h"

/* Writes a text through an output; returns what the first step to fail returned. */
static int write_file(const char *path, const char *text, bool commit)
{
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	int r = output_open(&output, path, OUTPUT_PRIVATE);

	if (r == 0)
		r = output.sink.write(&output.sink, text, strlen(text));
	if (r == 0)
		assert_int_equal(output.bytes, strlen(text));
	if (r == 0 && commit)
		r = output_commit(&output);
	return r;
}

static int write_in(const struct temp_tree *tree, const char *name, const char *text)
{
	cleanup_(mem_freep) char *path = temp_tree_path(tree, name);

	return write_file(path, text, true);
}

static void test_output_new_file(void **state)
{
	const struct temp_tree *tree = *state;
	struct stat status;
	mode_t mask = umask(027);
	int r = write_in(tree, "new", "contents");

	umask(mask);
	assert_int_equal(r, 0);
	temp_tree_assert_text(tree, "new", "contents");
	assert_int_equal(temp_tree_count(tree, "."), 1);
	assert_int_equal(fstatat(tree->fd, "new", &status, 0), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(status.st_nlink, 1);
}

/* The audience's bits, less the umask. */
static void test_output_audience(void **state)
{
	static const struct {
		enum output_audience audience;
		mode_t mask, mode;
	} cases[] = {
	        {OUTPUT_PRIVATE, 0, 0600},    {OUTPUT_PRIVATE, 022, 0600},
	        {OUTPUT_PRIVATE, 0277, 0400}, {OUTPUT_PUBLIC, 0, 0666},
	        {OUTPUT_PUBLIC, 027, 0640},
	};
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "new");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cleanup_(output_done) struct output output = OUTPUT_INIT;
		mode_t before = umask(cases[i].mask);
		int r = output_open(&output, path, cases[i].audience);
		struct stat status;

		umask(before);
		assert_int_equal(r, 0);
		assert_int_equal(output_commit(&output), 0);
		assert_int_equal(fstatat(tree->fd, "new", &status, 0), 0);
		assert_int_equal(status.st_mode & 07777, cases[i].mode);
		temp_tree_remove(tree, "new");
	}
}

static void test_output_several_writes(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "new");
	struct output output;

	assert_int_equal(output_open(&output, path, OUTPUT_PRIVATE), 0);
	assert_int_equal(output.sink.write(&output.sink, "one ", 4), 0);
	assert_int_equal(output.sink.write(&output.sink, "", 0), 0);
	assert_int_equal(output.sink.write(&output.sink, "two", 3), 0);
	assert_int_equal(output.bytes, 7);
	assert_int_equal(faccessat(tree->fd, "new", F_OK, 0), -1);
	assert_int_equal(output_commit(&output), 0);
	output_done(&output);
	output_done(&output);
	temp_tree_assert_text(tree, "new", "one two");
	assert_int_equal(temp_tree_count(tree, "."), 1);
}

static void test_output_replaces_and_keeps_mode(void **state)
{
	const struct temp_tree *tree = *state;
	struct stat before, after;

	temp_tree_write_text(tree, "old", "a longer text than the new one");
	assert_int_equal(fchmodat(tree->fd, "old", 0604, 0), 0);
	assert_int_equal(fstatat(tree->fd, "old", &before, 0), 0);
	assert_int_equal(write_in(tree, "old", "new"), 0);
	temp_tree_assert_text(tree, "old", "new");
	assert_int_equal(fstatat(tree->fd, "old", &after, 0), 0);
	assert_int_equal(after.st_mode, before.st_mode);
	assert_int_not_equal(after.st_ino, before.st_ino);
	assert_int_equal(temp_tree_count(tree, "."), 1);
	/* But for those that make an executable another user's. */
	assert_int_equal(fchmodat(tree->fd, "old", 07751, 0), 0);
	assert_int_equal(write_in(tree, "old", "newer"), 0);
	assert_int_equal(fstatat(tree->fd, "old", &after, 0), 0);
	assert_int_equal(after.st_mode & 07777, 0751);
}

/* Somebody who has the old file open goes on reading the old file, whole. */
static void test_output_is_untouched_until_commit(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "old");
	struct output output;
	char text[16] = "";
	int fd;

	temp_tree_write_text(tree, "old", "before");
	fd = openat(tree->fd, "old", O_RDONLY | O_CLOEXEC);
	assert_int_equal(output_open(&output, path, OUTPUT_PRIVATE), 0);
	temp_tree_assert_text(tree, "old", "before");
	assert_int_equal(output.sink.write(&output.sink, "after", 5), 0);
	temp_tree_assert_text(tree, "old", "before");
	assert_int_equal(output_commit(&output), 0);
	temp_tree_assert_text(tree, "old", "after");
	output_done(&output);
	assert_int_equal(read(fd, text, sizeof(text)), 6);
	assert_string_equal(text, "before");
	close(fd);
}

static void test_output_not_committed(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *old = temp_tree_path(tree, "old");
	cleanup_(mem_freep) char *new = temp_tree_path(tree, "new");

	temp_tree_write_text(tree, "old", "before");
	assert_int_equal(write_file(old, "after", false), 0);
	assert_int_equal(write_file(new, "after", false), 0);
	temp_tree_assert_text(tree, "old", "before");
	assert_int_equal(temp_tree_count(tree, "."), 1);
}

/* A file that grows past what it may: the first bytes are written, the rest fails. */
static void test_output_sink_fails(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "old");
	struct rlimit unlimited, small;
	struct output output;
	int first, second;

	temp_tree_write_text(tree, "old", "before");
	assert_int_equal(output_open(&output, path, OUTPUT_PRIVATE), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
	small = unlimited;
	small.rlim_cur = 10;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	first = output.sink.write(&output.sink, "12345678", 8);
	second = output.sink.write(&output.sink, "12345678", 8);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
	assert_int_equal(first, 0);
	assert_int_equal(second, -EFBIG);
	assert_int_equal(output.bytes, 8);
	output_done(&output);
	temp_tree_assert_text(tree, "old", "before");
	assert_int_equal(temp_tree_count(tree, "."), 1);
}

static void test_output_follows_symbolic_link(void **state)
{
	const struct temp_tree *tree = *state;
	struct stat status;

	temp_tree_write_text(tree, "far/real", "before");
	temp_tree_make_dir(tree, "near");
	assert_int_equal(symlinkat("../far/real", tree->fd, "near/link"), 0);
	assert_int_equal(write_in(tree, "near/link", "after"), 0);
	temp_tree_assert_text(tree, "far/real", "after");
	assert_int_equal(fstatat(tree->fd, "near/link", &status, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(temp_tree_count(tree, "far"), 1);
	assert_int_equal(temp_tree_count(tree, "near"), 1);
}

/* A link that points nowhere is neither replaced nor followed. */
static void test_output_link_to_nowhere(void **state)
{
	const struct temp_tree *tree = *state;
	struct stat status;

	assert_int_equal(symlinkat("missing", tree->fd, "link"), 0);
	assert_int_equal(write_in(tree, "link", "text"), -ENOENT);
	assert_int_equal(fstatat(tree->fd, "link", &status, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(temp_tree_count(tree, "."), 1);
}

static void test_output_name_without_directory(void **state)
{
	const struct temp_tree *tree = *state;
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), first, second;

	assert_int_equal(fchdir(tree->fd), 0);
	first = write_file("bare", "one", true);
	second = write_file("bare", "two", true);
	assert_int_equal(fchdir(here), 0);
	close(here);
	assert_int_equal(first, 0);
	assert_int_equal(second, 0);
	temp_tree_assert_text(tree, "bare", "two");
	assert_int_equal(temp_tree_count(tree, "."), 1);
}

static void test_output_names_at_the_limit(void **state)
{
	const struct temp_tree *tree = *state;
	char name[257];

	memset(name, 'n', sizeof(name));
	name[255] = '\0';
	assert_int_equal(write_in(tree, name, "one"), 0);
	assert_int_equal(write_in(tree, name, "two"), 0);
	temp_tree_assert_text(tree, name, "two");
	assert_int_equal(temp_tree_count(tree, "."), 1);
	name[255] = 'n';
	name[256] = '\0';
	assert_int_equal(write_in(tree, name, "three"), -ENAMETOOLONG);
	assert_int_equal(temp_tree_count(tree, "."), 1);
}

static void test_output_hostile_names(void **state)
{
	static const char *const names[] = {" ",       "%s%n",  "\n", "\xff\xfe",
	                                    ".hidden", "a.b.c", "--"};
	const struct temp_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(write_in(tree, names[i], "text"), 0);
		temp_tree_assert_text(tree, names[i], "text");
		assert_int_equal(temp_tree_count(tree, "."), i + 1);
	}
}

static void test_output_bad_targets(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *root = temp_tree_path(tree, ".");

	temp_tree_write_text(tree, "dir/file", "kept");
	assert_int_equal(write_file("", "x", true), -ENOENT);
	assert_int_equal(write_in(tree, "missing/file", "x"), -ENOENT);
	assert_int_equal(write_in(tree, "dir", "x"), -EISDIR);
	assert_int_equal(write_in(tree, "dir/", "x"), -EISDIR);
	assert_int_equal(write_in(tree, "new/", "x"), -ENOENT);
	assert_int_equal(write_in(tree, "dir/file/", "x"), -ENOTDIR);
	assert_int_equal(write_in(tree, "dir/file/below", "x"), -ENOTDIR);
	assert_int_equal(write_file(root, "x", true), -EISDIR);
	assert_true(write_file("/proc/self/ctprof-cannot-be-here", "x", true) < 0);
	temp_tree_assert_text(tree, "dir/file", "kept");
	assert_int_equal(temp_tree_count(tree, "."), 1);
	assert_int_equal(temp_tree_count(tree, "dir"), 1);
}

/* No regular file: it is written as it is, and stays what it is. */
static void test_output_in_place(void **state)
{
	const struct temp_tree *tree = *state;
	struct stat status;
	char text[16] = "";
	int fd;

	assert_int_equal(write_file("/dev/null", "x", true), 0);
	assert_int_equal(write_file("/dev/full", "x", true), -ENOSPC);
	assert_int_equal(stat("/dev/full", &status), 0);
	assert_true(S_ISCHR(status.st_mode));

	assert_int_equal(mkfifoat(tree->fd, "fifo", 0600), 0);
	fd = openat(tree->fd, "fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(write_in(tree, "fifo", "through"), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 7);
	assert_string_equal(text, "through");
	close(fd);
	assert_int_equal(fstatat(tree->fd, "fifo", &status, 0), 0);
	assert_true(S_ISFIFO(status.st_mode));
	assert_int_equal(temp_tree_count(tree, "."), 1);
}

/* "-" is standard output, which stays open, and no file of that name; so is /dev/stdout. */
static void test_output_standard_output(void **state)
{
	static const char *const names[] = {"-", "/dev/stdout"};
	const struct temp_tree *tree = *state;
	int kept = dup(STDOUT_FILENO);

	assert_true(kept >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int file = openat(tree->fd, "stdout", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		int r, still_open;

		assert_true(file >= 0);
		fflush(stdout);
		dup2(file, STDOUT_FILENO);
		r = write_file(names[i], "to the pipe", true);
		still_open = fcntl(STDOUT_FILENO, F_GETFD);
		dup2(kept, STDOUT_FILENO);
		close(file);
		assert_int_equal(r, 0);
		assert_int_not_equal(still_open, -1);
		temp_tree_assert_text(tree, "stdout", "to the pipe");
		assert_int_equal(temp_tree_count(tree, "."), 1);
	}
	close(kept);
}

/* Replacing a file is not a way around its permissions. Runs in a child, as nobody where we are root. */
static void test_output_unwritable_file(void **state)
{
	enum { NOBODY = 65534, CANNOT = 77 };
	const struct temp_tree *tree = *state;
	int status;
	pid_t child;

	temp_tree_write_text(tree, "dir/locked", "before");
	assert_int_equal(fchmodat(tree->fd, "dir/locked", 0444, 0), 0);
	assert_int_equal(fchmodat(tree->fd, "dir", 0777, 0), 0);
	assert_int_equal(fchmod(tree->fd, 0755), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		cleanup_(mem_freep) char *path = temp_tree_path(tree, "dir/locked");

		if (getuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
			_exit(CANNOT);
		_exit(write_file(path, "after", true) == -EACCES ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
	temp_tree_assert_text(tree, "dir/locked", "before");
	assert_int_equal(temp_tree_count(tree, "dir"), 1);
}

/* Sets or clears what chattr +a does; false where that cannot be done. */
static bool set_append_only(const struct temp_tree *tree, const char *name, bool on)
{
	cleanup_(fd_closep) int fd = openat(tree->fd, name, O_RDONLY | O_DIRECTORY);
	int flags;

	if (fd < 0 || ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
		return false;
	flags = on ? flags | FS_APPEND_FL : flags & ~FS_APPEND_FL;
	return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
}

/* Writes files that belong together: the first one and the last one replace others. The last one can be put into the way of a directory. */
static void commit_together(const struct temp_tree *tree, int expected, const char *reason)
{
	static const char *const names[] = {"first", "new", "last"};
	struct output outputs[ARRAY_SIZE(names)];
	unsigned failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(output_open_at(&outputs[i], tree->fd, names[i], OUTPUT_PRIVATE),
		                 0);
		assert_int_equal(outputs[i].sink.write(&outputs[i].sink, "after", 5), 0);
	}
	if (expected == -EISDIR) {
		temp_tree_remove(tree, "last");
		temp_tree_make_dir(tree, "last");
	}
	assert_int_equal(output_commit_all(outputs, ARRAY_SIZE(names), &failed), expected);
	if (expected < 0) {
		assert_int_equal(failed, 2);
		assert_string_equal(output_reason(&outputs[failed], expected), reason);
	}
	for (size_t i = ARRAY_SIZE(names); i-- > 0;)
		output_done(&outputs[i]);
}

static void test_output_together(void **state)
{
	const struct temp_tree *tree = *state;
	struct stat status;

	temp_tree_write_text(tree, "first", "before");
	temp_tree_write_text(tree, "last", "before");
	assert_int_equal(fchmodat(tree->fd, "first", 0640, 0), 0);
	commit_together(tree, -EISDIR, "Is a directory");
	/* The directory has the last name again, and the new one is gone. */
	assert_int_equal(temp_tree_count(tree, "."), 2);
	temp_tree_assert_text(tree, "first", "before");
	assert_int_equal(temp_tree_count(tree, "last"), 0);
	temp_tree_remove(tree, "last");
	temp_tree_write_text(tree, "last", "before");
	commit_together(tree, 0, NULL);
	assert_int_equal(temp_tree_count(tree, "."), 3);
	temp_tree_assert_text(tree, "first", "after");
	temp_tree_assert_text(tree, "new", "after");
	temp_tree_assert_text(tree, "last", "after");
	assert_int_equal(fstatat(tree->fd, "first", &status, 0), 0);
	assert_int_equal(status.st_mode, S_IFREG | 0640);
}

/* Mounts the directory "low" of the tree as an overlay at "merged", for this process. */
static bool mount_overlay(const struct temp_tree *tree)
{
	char options[] = "lowerdir=low,upperdir=up,workdir=work";
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "");

	/* The descriptor of the tree is of the namespace before. */
	return unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && chdir(path) == 0 &&
	       mount("overlay", "merged", "overlay", 0, options) == 0;
}

/* A file of several names in a lower layer of an overlay has another number once it was opened for writing. */
static void test_output_overlay(void **state)
{
	enum { NO_OVERLAY = 77 };
	const struct temp_tree *tree = *state;
	int result = -1;
	pid_t pid;

	temp_tree_write_text(tree, "low/file", "before");
	assert_int_equal(linkat(tree->fd, "low/file", tree->fd, "low/other", 0), 0);
	temp_tree_make_dir(tree, "up");
	temp_tree_make_dir(tree, "work");
	temp_tree_make_dir(tree, "merged");
	pid = fork();
	if (pid == 0)
		_exit(!mount_overlay(tree)                           ? NO_OVERLAY
		      : write_file("merged/file", "text", true) == 0 ? 0
		                                                     : 1);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &result, 0), pid);
	if (WIFEXITED(result) && WEXITSTATUS(result) == NO_OVERLAY)
		skip();
	assert_int_equal(result, 0);
	temp_tree_assert_text(tree, "up/file", "text");
	temp_tree_assert_text(tree, "low/file", "before");
	temp_tree_assert_text(tree, "low/other", "before");
}

/* Names cannot be removed there, so no temporary one may be made. */
static void test_output_append_only(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = NULL;
	cleanup_(output_done) struct output late = OUTPUT_INIT;
	int made, uncommitted, again, raced;

	temp_tree_write_text(tree, "dir/old", "before");
	path = temp_tree_path(tree, "dir/late");
	if (!set_append_only(tree, "dir", true))
		skip();
	made = write_in(tree, "dir/new", "contents");
	uncommitted = write_file(path, "contents", false);
	again = write_in(tree, "dir/old", "after");
	raced = output_open(&late, path, OUTPUT_PRIVATE);
	if (raced == 0) {
		temp_tree_write_text(tree, "dir/late", "another one's");
		raced = output_commit(&late);
	}
	assert_true(set_append_only(tree, "dir", false));
	assert_int_equal(made, 0);
	assert_int_equal(uncommitted, 0);
	assert_int_equal(again, -EPERM);
	assert_int_equal(raced, -EEXIST);
	temp_tree_assert_text(tree, "dir/new", "contents");
	temp_tree_assert_text(tree, "dir/old", "before");
	temp_tree_assert_text(tree, "dir/late", "another one's");
	assert_int_equal(temp_tree_count(tree, "dir"), 3);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_output_new_file),
	        in_tree(test_output_audience),
	        in_tree(test_output_several_writes),
	        in_tree(test_output_replaces_and_keeps_mode),
	        in_tree(test_output_is_untouched_until_commit),
	        in_tree(test_output_not_committed),
	        in_tree(test_output_sink_fails),
	        in_tree(test_output_follows_symbolic_link),
	        in_tree(test_output_link_to_nowhere),
	        in_tree(test_output_name_without_directory),
	        in_tree(test_output_names_at_the_limit),
	        in_tree(test_output_hostile_names),
	        in_tree(test_output_bad_targets),
	        in_tree(test_output_in_place),
	        in_tree(test_output_standard_output),
	        in_tree(test_output_unwritable_file),
	        in_tree(test_output_append_only),
	        in_tree(test_output_overlay),
	        in_tree(test_output_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
