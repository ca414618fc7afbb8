// SPDX-License-Identifier: GPL-2.0-or-later
/* Output when system calls fail: the linker puts these functions in front of the real ones. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "temp-tree.h"

static struct {
	int tmpfile_error; /* what opening a file without a name fails with, or 0 */
	int fsync_error;
	unsigned fsync_after; /* how many of them work before */
	int link_error;
	int rename_error;
	int exchange_error;
	unsigned exchange_after; /* how many of them work before */
	int fchmod_error;
	int close_error;
	int proc_error; /* of what lies in /proc */
	int chown_error;
	unsigned taken_names; /* how many names of temporary files are taken */
	unsigned fsyncs;
	unsigned named; /* attempts to create a file under a name */
} faults;

static int fail_with(int error)
{
	errno = error;
	return -1;
}

static int fake_openat(int dir_fd, const char *name, int flags, unsigned mode)
{
	if ((flags & O_TMPFILE) == O_TMPFILE && faults.tmpfile_error != 0)
		return fail_with(faults.tmpfile_error);
	if (flags & O_EXCL) {
		faults.named++;
		if (faults.taken_names > 0) {
			faults.taken_names--;
			return fail_with(EEXIST);
		}
	}
	return (int)syscall(SYS_openat, dir_fd, name, flags, mode);
}

int __wrap_openat(int dir_fd, const char *name, int flags, unsigned mode);
int __wrap_openat(int dir_fd, const char *name, int flags, unsigned mode)
{
	return fake_openat(dir_fd, name, flags, mode);
}

/* The same function where file offsets are made 64 bits wide. */
int __wrap_openat64(int dir_fd, const char *name, int flags, unsigned mode);
int __wrap_openat64(int dir_fd, const char *name, int flags, unsigned mode)
{
	return fake_openat(dir_fd, name, flags, mode);
}

/* The same again, as fortified code calls it without a mode. */
int __wrap___openat64_2(int dir_fd, const char *name, int flags);
int __wrap___openat64_2(int dir_fd, const char *name, int flags)
{
	return fake_openat(dir_fd, name, flags, 0);
}

int __wrap___openat_2(int dir_fd, const char *name, int flags);
int __wrap___openat_2(int dir_fd, const char *name, int flags)
{
	return fake_openat(dir_fd, name, flags, 0);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	if (faults.fsyncs++ < faults.fsync_after || faults.fsync_error == 0)
		return __real_fsync(fd);
	return fail_with(faults.fsync_error);
}

int __real_linkat(int old_fd, const char *old, int new_fd, const char *new, int flags);
int __wrap_linkat(int old_fd, const char *old, int new_fd, const char *new, int flags);
int __wrap_linkat(int old_fd, const char *old, int new_fd, const char *new, int flags)
{
	if (faults.link_error != 0)
		return fail_with(faults.link_error);
	if (faults.taken_names > 0) {
		faults.taken_names--;
		return fail_with(EEXIST);
	}
	return __real_linkat(old_fd, old, new_fd, new, flags);
}

int __real_renameat(int old_fd, const char *old, int new_fd, const char *new);
int __wrap_renameat(int old_fd, const char *old, int new_fd, const char *new);
int __wrap_renameat(int old_fd, const char *old, int new_fd, const char *new)
{
	return faults.rename_error ? fail_with(faults.rename_error)
	                           : __real_renameat(old_fd, old, new_fd, new);
}

int __real_renameat2(int old_fd, const char *old, int new_fd, const char *new, unsigned flags);
int __wrap_renameat2(int old_fd, const char *old, int new_fd, const char *new, unsigned flags);
int __wrap_renameat2(int old_fd, const char *old, int new_fd, const char *new, unsigned flags)
{
	if (faults.exchange_error == 0)
		return __real_renameat2(old_fd, old, new_fd, new, flags);
	if (faults.exchange_after > 0) {
		faults.exchange_after--;
		return __real_renameat2(old_fd, old, new_fd, new, flags);
	}
	return fail_with(faults.exchange_error);
}

int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode)
{
	return faults.fchmod_error ? fail_with(faults.fchmod_error) : __real_fchmod(fd, mode);
}

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
	if (faults.proc_error != 0 && strncmp(path, "/proc/", 6) == 0)
		return fail_with(faults.proc_error);
	return __real_access(path, mode);
}

static int fake_open(const char *path, int flags)
{
	if (faults.proc_error != 0 && strncmp(path, "/proc/", 6) == 0)
		return fail_with(faults.proc_error);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
}

int __wrap_open(const char *path, int flags);
int __wrap_open(const char *path, int flags)
{
	return fake_open(path, flags);
}

int __wrap_open64(const char *path, int flags);
int __wrap_open64(const char *path, int flags)
{
	return fake_open(path, flags);
}

int __wrap___open_2(const char *path, int flags);
int __wrap___open_2(const char *path, int flags)
{
	return fake_open(path, flags);
}

int __wrap___open64_2(const char *path, int flags);
int __wrap___open64_2(const char *path, int flags)
{
	return fake_open(path, flags);
}

int __real_fchown(int fd, uid_t uid, gid_t gid);
int __wrap_fchown(int fd, uid_t uid, gid_t gid);
int __wrap_fchown(int fd, uid_t uid, gid_t gid)
{
	return faults.chown_error ? fail_with(faults.chown_error) : __real_fchown(fd, uid, gid);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int r = __real_close(fd);

	return faults.close_error ? fail_with(faults.close_error) : r;
}

static int reset(void **state)
{
	memset(&faults, 0, sizeof(faults));
	return temp_tree_setup(state);
}

static int replace_file(const struct temp_tree *tree, const char *name)
{
	cleanup_(mem_freep) char *path = temp_tree_path(tree, name);
	cleanup_(output_done) struct output output = OUTPUT_INIT;
	int r = output_open(&output, path, OUTPUT_PRIVATE);

	if (r == 0)
		r = output.sink.write(&output.sink, "after", 5);
	return r == 0 ? output_commit(&output) : r;
}

static int replace(const struct temp_tree *tree)
{
	return replace_file(tree, "target");
}

/* Whatever fails, the old file is there, whole, and alone. */
static void check_replacing_fails(const struct temp_tree *tree, int expected)
{
	temp_tree_write_text(tree, "target", "before");
	assert_int_equal(replace(tree), expected);
	temp_tree_assert_text(tree, "target", "before");
	assert_int_equal(temp_tree_count(tree, "."), 1);
	temp_tree_remove(tree, "target");
}

static void check_fails(const struct temp_tree *tree, int expected)
{
	check_replacing_fails(tree, expected);
	assert_int_equal(replace(tree), expected);
	assert_int_equal(temp_tree_count(tree, "."), 0);
}

static void check_works(const struct temp_tree *tree)
{
	temp_tree_write_text(tree, "target", "before");
	assert_int_equal(replace(tree), 0);
	temp_tree_assert_text(tree, "target", "after");
	assert_int_equal(temp_tree_count(tree, "."), 1);
}

static void test_output_is_flushed(void **state)
{
	check_works(*state);
	/* The file and its directory. */
	assert_int_equal(faults.fsyncs, 2);
}

/* Then the new file is in its place, and that is said. */
static void test_output_directory_is_not_flushed(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "target");
	cleanup_(output_done) struct output output = OUTPUT_INIT;

	faults.fsync_after = 1;
	faults.fsync_error = EIO;
	assert_int_equal(output_open(&output, path, OUTPUT_PRIVATE), 0);
	assert_int_equal(output.sink.write(&output.sink, "after", 5), 0);
	assert_int_equal(output_commit(&output), -EIO);
	assert_string_equal(output_reason(&output, -EIO),
	                    "was written, but not its directory: Input/output error");
	temp_tree_assert_text(tree, "target", "after");
	assert_int_equal(temp_tree_count(tree, "."), 1);
	/* Some file systems flush no directory. */
	faults.fsyncs = 0;
	faults.fsync_error = EINVAL;
	check_works(tree);
}

/* Without O_TMPFILE the file has a temporary name. */
static void test_output_without_tmpfile(void **state)
{
	static const int errors[] = {EOPNOTSUPP, EISDIR, EINVAL};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		faults.tmpfile_error = errors[i];
		check_works(*state);
		assert_int_equal(faults.named, i + 1);
	}
}

/* A signal during the writing takes the name away. */
static void test_output_signal(void **state)
{
	const struct temp_tree *tree = *state;
	struct output output = OUTPUT_INIT;
	int status;
	pid_t child;

	faults.tmpfile_error = EOPNOTSUPP;
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (output_open_at(&output, tree->fd, "target", OUTPUT_PRIVATE) == 0 &&
		    temp_tree_count(tree, ".") == 1)
			raise(SIGTERM);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_int_equal(temp_tree_count(tree, "."), 0);
}

/* Without /proc there is no way to give an open file a name. */
static void test_output_without_proc(void **state)
{
	const struct temp_tree *tree = *state;
	char text[8] = "";
	int fd;

	faults.proc_error = ENOENT;
	check_works(tree);
	assert_int_equal(faults.named, 1);
	/* A file that is written in place is opened by its name, in a directory that only its owner can change. */
	temp_tree_remove(tree, "target");
	assert_int_equal(mkfifoat(tree->fd, "target", 0600), 0);
	fd = (int)syscall(SYS_openat, tree->fd, "target", O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	assert_int_equal(replace(tree), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	assert_string_equal(text, "after");
	close(fd);
	temp_tree_make_dir(tree, "shared");
	assert_int_equal(fchmodat(tree->fd, "shared", 01777, 0), 0);
	assert_int_equal(mkfifoat(tree->fd, "shared/target", 0600), 0);
	assert_int_equal(replace_file(tree, "shared/target"), -ENOENT);
}

/* A group that cannot be handed on takes its bits along. */
static void test_output_group_fails(void **state)
{
	const struct temp_tree *tree = *state;
	struct stat status;

	if (geteuid() != 0)
		skip();
	temp_tree_write_text(tree, "target", "before");
	assert_int_equal(fchownat(tree->fd, "target", (uid_t)-1, 7, 0), 0);
	assert_int_equal(fchmodat(tree->fd, "target", 0664, 0), 0);
	assert_int_equal(replace(tree), 0);
	assert_int_equal(fstatat(tree->fd, "target", &status, 0), 0);
	assert_int_equal(status.st_gid, 7);
	assert_int_equal(status.st_mode & 07777, 0664);
	faults.chown_error = EPERM;
	assert_int_equal(replace(tree), 0);
	assert_int_equal(fstatat(tree->fd, "target", &status, 0), 0);
	assert_int_equal(status.st_gid, getegid());
	assert_int_equal(status.st_mode & 07777, 0604);
}

static void test_output_tmpfile_fails(void **state)
{
	faults.tmpfile_error = EMFILE;
	check_fails(*state, -EMFILE);
	assert_int_equal(faults.named, 0);
}

static void test_output_named_and_left(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "target");
	struct output output;

	faults.tmpfile_error = EOPNOTSUPP;
	assert_int_equal(output_open(&output, path, OUTPUT_PRIVATE), 0);
	assert_int_equal(temp_tree_count(tree, "."), 1);
	assert_int_equal(faccessat(tree->fd, "target", F_OK, 0), -1);
	output_done(&output);
	assert_int_equal(temp_tree_count(tree, "."), 0);
}

static void check_fails_both_ways(const struct temp_tree *tree, int expected)
{
	check_fails(tree, expected);
	faults.tmpfile_error = EOPNOTSUPP;
	check_fails(tree, expected);
	assert_true(faults.named > 0);
}

static void test_output_flush_fails(void **state)
{
	faults.fsync_error = EIO;
	check_fails_both_ways(*state, -EIO);
}

static void test_output_rename_fails(void **state)
{
	faults.rename_error = EXDEV;
	check_replacing_fails(*state, -EXDEV);
	faults.tmpfile_error = EOPNOTSUPP;
	check_fails(*state, -EXDEV);
}

/* Replaces two files together. Returns what failed, with a copy of its words. */
static int replace_two(const struct temp_tree *tree, struct strbuf *reason)
{
	static const char *const names[] = {"one", "two"};
	struct output outputs[ARRAY_SIZE(names)];
	unsigned failed = 0;
	int r;

	strbuf_clear(reason);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		temp_tree_write_text(tree, names[i], "before");
		assert_int_equal(output_open_at(&outputs[i], tree->fd, names[i], OUTPUT_PRIVATE),
		                 0);
		assert_int_equal(outputs[i].sink.write(&outputs[i].sink, "after", 5), 0);
	}
	r = output_commit_all(outputs, ARRAY_SIZE(names), &failed);
	if (r < 0)
		strbuf_add_str(reason, output_reason(&outputs[failed], r));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		output_done(&outputs[i]);
	return r;
}

static void test_output_together_fails(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;

	/* Nothing was named yet. */
	faults.exchange_error = EBUSY;
	assert_int_equal(replace_two(tree, &reason), -EBUSY);
	temp_tree_assert_text(tree, "one", "before");
	/* The second one fails, and so does taking back the first one, which is told and leaves the old file. */
	faults.exchange_after = 1;
	assert_int_equal(replace_two(tree, &reason), -EBUSY);
	temp_tree_assert_text(tree, "one", "after");
	temp_tree_assert_text(tree, "two", "before");
	assert_contains(strbuf_str(&reason),
	                "Device or resource busy; 'one' is new, and cannot be taken back ('.one.");
	assert_int_equal(temp_tree_count(tree, "."), 3);
	/* No exchange on this file system. */
	faults.exchange_error = EINVAL;
	assert_int_equal(replace_two(tree, &reason), 0);
	temp_tree_assert_text(tree, "one", "after");
	temp_tree_assert_text(tree, "two", "after");
	faults.rename_error = EBUSY;
	assert_int_equal(replace_two(tree, &reason), -EBUSY);
	assert_string_equal(strbuf_str(&reason), "Device or resource busy");
	temp_tree_assert_text(tree, "one", "before");
	assert_int_equal(temp_tree_count(tree, "."), 3);
}

static void test_output_link_fails(void **state)
{
	faults.link_error = ENOSPC;
	check_fails(*state, -ENOSPC);
}

/* Only a file that is replaced has permissions to keep. */
static void test_output_mode_fails(void **state)
{
	const struct temp_tree *tree = *state;

	faults.fchmod_error = EROFS;
	temp_tree_write_text(tree, "target", "before");
	assert_int_equal(replace(tree), -EROFS);
	temp_tree_assert_text(tree, "target", "before");
	assert_int_equal(temp_tree_count(tree, "."), 1);
	temp_tree_remove(tree, "target");
	assert_int_equal(replace(tree), 0);
	temp_tree_assert_text(tree, "target", "after");
}

/* Some file systems say only then that the disk is full. */
static void test_output_close_fails_in_place(void **state)
{
	struct output output;

	(void)state;
	assert_int_equal(output_open(&output, "/dev/null", OUTPUT_PRIVATE), 0);
	assert_int_equal(output.sink.write(&output.sink, "x", 1), 0);
	faults.close_error = ENOSPC;
	assert_int_equal(output_commit(&output), -ENOSPC);
	faults.close_error = 0;
	output_done(&output);
}

static void test_output_temporary_name_taken(void **state)
{
	faults.taken_names = 3;
	check_works(*state);
	assert_int_equal(faults.taken_names, 0);
	faults.tmpfile_error = EOPNOTSUPP;
	faults.taken_names = 3;
	check_works(*state);
	assert_int_equal(faults.taken_names, 0);
}

static void test_output_temporary_names_all_taken(void **state)
{
	faults.taken_names = UINT32_MAX;
	check_fails_both_ways(*state, -EEXIST);
}

#define in_tree(test_) cmocka_unit_test_setup_teardown(test_, reset, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        in_tree(test_output_is_flushed),
	        in_tree(test_output_directory_is_not_flushed),
	        in_tree(test_output_group_fails),
	        in_tree(test_output_without_tmpfile),
	        in_tree(test_output_signal),
	        in_tree(test_output_without_proc),
	        in_tree(test_output_tmpfile_fails),
	        in_tree(test_output_named_and_left),
	        in_tree(test_output_flush_fails),
	        in_tree(test_output_rename_fails),
	        in_tree(test_output_together_fails),
	        in_tree(test_output_link_fails),
	        in_tree(test_output_mode_fails),
	        in_tree(test_output_close_fails_in_place),
	        in_tree(test_output_temporary_name_taken),
	        in_tree(test_output_temporary_names_all_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
