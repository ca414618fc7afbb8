// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "check.h"
#include "temp-tree.h"

static const bool all[DUCT_FILE_COUNT] = {true, true, true, true};

/* The tree in which somebody exchanges the directory when the first file was found. */
static const struct temp_tree *exchanged;

int __real_output_place_find(struct output_place *place, int dir_fd, const char *path,
                             struct strbuf *reterr);
int __wrap_output_place_find(struct output_place *place, int dir_fd, const char *path,
                             struct strbuf *reterr);
int __wrap_output_place_find(struct output_place *place, int dir_fd, const char *path,
                             struct strbuf *reterr)
{
	int r = __real_output_place_find(place, dir_fd, path, reterr);

	if (exchanged) {
		assert_int_equal(renameat(exchanged->fd, "a", exchanged->fd, "before"), 0);
		temp_tree_make_dir(exchanged, "a/b");
		exchanged = NULL;
	}
	return r;
}

static int open_files(const struct temp_tree *tree, struct duct_files *files, const bool *wanted,
                      bool clobber, struct strbuf *reason)
{
	char *prefix = temp_tree_path(tree, "a/b/x_");

	duct_files_init(files, prefix);
	free(prefix);
	return duct_files_open(files, wanted, clobber, reason);
}

static void append(const struct duct_file *file, const char *text)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

	strbuf_add_str(&line, text);
	assert_int_equal(duct_file_append(file, &line), 0);
}

static void test_life(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT, text = STRBUF_INIT;
	cleanup_(duct_files_done) struct duct_files files = {0};

	assert_int_equal(open_files(tree, &files, all, false, &reason), 0);
	assert_int_equal(temp_tree_count(tree, "a/b"), 4);
	append(&files.files[DUCT_USAGE], "{1}\n");
	append(&files.files[DUCT_USAGE], "{2}\n");
	temp_tree_assert_text(tree, "a/b/x_usage.jsonl", "{1}\n{2}\n");
	append(&files.files[DUCT_INFO], "begin");
	strbuf_add_str(&text, "end");
	assert_int_equal(duct_file_replace(&files.files[DUCT_INFO], &text, &reason), 0);
	temp_tree_assert_text(tree, "a/b/x_info.json", "end");
	/* The file that took its place is not that of this descriptor, and stays. */
	duct_files_remove(&files);
	assert_int_equal(temp_tree_count(tree, "a/b"), 1);
}

static void test_conflict(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(duct_files_done) struct duct_files files = {0}, again = {0};
	static const bool some[DUCT_FILE_COUNT] = {[DUCT_USAGE] = true, [DUCT_INFO] = true};

	temp_tree_write_text(tree, "a/b/x_stdout", "old");
	assert_int_equal(open_files(tree, &files, all, false, &reason), -EEXIST);
	assert_contains(strbuf_str(&reason), "x_stdout");
	assert_int_equal(temp_tree_count(tree, "a/b"), 1);
	/* A file that is not wanted is not touched, and one that was there is not removed. */
	assert_int_equal(open_files(tree, &again, some, true, &reason), 0);
	duct_files_remove(&again);
	temp_tree_assert_text(tree, "a/b/x_stdout", "old");
	assert_int_equal(temp_tree_count(tree, "a/b"), 1);
}

static void test_clobber(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(duct_files_done) struct duct_files files = {0};

	temp_tree_write_text(tree, "a/b/x_stdout", "old");
	assert_int_equal(open_files(tree, &files, all, true, &reason), 0);
	temp_tree_assert_text(tree, "a/b/x_stdout", "");
	duct_files_remove(&files);
	assert_int_equal(temp_tree_count(tree, "a/b"), 1);
}

static void test_no_regular_file(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(duct_files_done) struct duct_files files = {0};

	temp_tree_make_dir(tree, "a/b/x_stderr");
	assert_true(open_files(tree, &files, all, true, &reason) < 0);
	assert_contains(strbuf_str(&reason), "x_stderr: ");
	assert_int_equal(temp_tree_count(tree, "a/b"), 1);
}

/* A record that does not fit leaves no part of it. */
static void test_full(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT, line = STRBUF_INIT;
	cleanup_(duct_files_done) struct duct_files files = {0};
	struct rlimit before, small = {.rlim_cur = 6};

	assert_int_equal(open_files(tree, &files, all, false, &reason), 0);
	append(&files.files[DUCT_USAGE], "{1}\n");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	strbuf_add_str(&line, "{2}\n");
	assert_int_equal(duct_file_append(&files.files[DUCT_USAGE], &line), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	temp_tree_assert_text(tree, "a/b/x_usage.jsonl", "{1}\n");
}

static void test_reader(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(duct_files_done) struct duct_files files = {0};
	cleanup_(fd_closep) int fd = -1;
	char bytes[8];

	assert_int_equal(open_files(tree, &files, all, false, &reason), 0);
	append(&files.files[DUCT_STDOUT], "out");
	fd = duct_file_open_reader(&files.files[DUCT_STDOUT]);
	assert_int_equal(read(fd, bytes, sizeof(bytes)), 3);
	temp_tree_remove(tree, "a/b/x_stdout");
	temp_tree_write_text(tree, "a/b/x_stdout", "other");
	assert_int_equal(duct_file_open_reader(&files.files[DUCT_STDOUT]), -ESTALE);
}

/* Others can have given a file of this user's a second name, and that name is emptied with it. */
static void test_linked(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(duct_files_done) struct duct_files files = {0}, again = {0};

	temp_tree_write_text(tree, "own", "old");
	temp_tree_make_dir(tree, "a/b");
	assert_int_equal(linkat(tree->fd, "own", tree->fd, "a/b/x_stdout", 0), 0);
	assert_int_equal(fchmodat(tree->fd, "a/b", 01777, 0), 0);
	assert_int_equal(open_files(tree, &files, all, true, &reason), -EACCES);
	assert_contains(strbuf_str(&reason), "2 names");
	temp_tree_assert_text(tree, "own", "old");
	assert_int_equal(fchmodat(tree->fd, "a/b", 0755, 0), 0);
	assert_int_equal(open_files(tree, &again, all, true, &reason), 0);
	temp_tree_assert_text(tree, "own", "");
}

/* Others can have moved a file of this user's into a sticky directory. It loses the name, and not its contents. */
static void test_moved(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(duct_files_done) struct duct_files files = {0};
	cleanup_(fd_closep) int fd = -1;
	char text[8] = "";

	temp_tree_write_text(tree, "a/b/x_stdout", "old");
	fd = openat(tree->fd, "a/b/x_stdout", O_RDONLY | O_CLOEXEC);
	assert_int_equal(fchmodat(tree->fd, "a/b", 01777, 0), 0);
	assert_int_equal(open_files(tree, &files, all, true, &reason), 0);
	append(&files.files[DUCT_STDOUT], "new");
	temp_tree_assert_text(tree, "a/b/x_stdout", "new");
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "old");
}

/* Others can have exchanged the directory for another one of this user's. */
static void test_exchanged(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(duct_files_done) struct duct_files files = {0};
	cleanup_(fd_closep) int fd = -1;
	char text[8] = "";

	temp_tree_write_text(tree, "a/b/x_stdout", "old");
	fd = openat(tree->fd, "a/b/x_stdout", O_RDONLY | O_CLOEXEC);
	assert_int_equal(fchmodat(tree->fd, "a", 0777, 0), 0);
	assert_int_equal(open_files(tree, &files, all, true, &reason), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "old");
}

/* The four files come into one directory, also if its name becomes that of another one. */
static void test_one_directory(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(duct_files_done) struct duct_files files = {0};

	exchanged = tree;
	assert_int_equal(open_files(tree, &files, all, false, &reason), 0);
	assert_int_equal(temp_tree_count(tree, "before/b"), 4);
	assert_int_equal(temp_tree_count(tree, "a/b"), 0);
}

/* A prefix below the default directory is the user's choice if the user wrote it. */
static void test_named_default(void **state)
{
	cleanup_(duct_files_done) struct duct_files files = {0};

	(void)state;
	duct_files_init(&files, ".duct/logs/x_");
	assert_false(files.needs_own_place);
}

/* Nobody has named the directory, and it is not this user's alone. */
static void test_needs_own_place(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(duct_files_done) struct duct_files files = {0};
	cleanup_(mem_freep) char *prefix = temp_tree_path(tree, "a/b/x_");

	temp_tree_make_dir(tree, "a/b");
	assert_int_equal(fchmodat(tree->fd, "a/b", 01777, 0), 0);
	duct_files_init(&files, prefix);
	files.needs_own_place = true;
	assert_int_equal(duct_files_open(&files, all, false, &reason), -EPERM);
	assert_contains(strbuf_str(&reason), "other users may write its directory");
	assert_int_equal(temp_tree_count(tree, "a/b"), 0);
	if (geteuid() == 0) {
		strbuf_clear(&reason);
		assert_int_equal(fchmodat(tree->fd, "a/b", 0755, 0), 0);
		assert_int_equal(fchownat(tree->fd, "a/b", 65534, 65534, 0), 0);
		duct_files_done(&files);
		duct_files_init(&files, prefix);
		files.needs_own_place = true;
		assert_int_equal(duct_files_open(&files, all, false, &reason), -EPERM);
		assert_contains(strbuf_str(&reason), "other users may write its directory");
		/* The directory is root's in one of somebody's, who may exchange it for another of root's. */
		strbuf_clear(&reason);
		assert_int_equal(fchownat(tree->fd, "a/b", 0, 0, 0), 0);
		assert_int_equal(fchownat(tree->fd, "a", 65534, 65534, 0), 0);
		duct_files_done(&files);
		duct_files_init(&files, prefix);
		files.needs_own_place = true;
		assert_int_equal(duct_files_open(&files, all, false, &reason), -EPERM);
		assert_contains(strbuf_str(&reason), "may rename a directory");
		/* Nor is a directory made in it. */
		strbuf_clear(&reason);
		temp_tree_remove(tree, "a/b");
		duct_files_done(&files);
		duct_files_init(&files, prefix);
		files.needs_own_place = true;
		assert_int_equal(duct_files_open(&files, all, false, &reason), -EPERM);
		assert_int_equal(temp_tree_count(tree, "a"), 0);
	}
}

#define test(name_) \
	cmocka_unit_test_setup_teardown(test_##name_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        test(life),          test(conflict), test(clobber),   test(no_regular_file),
	        test(full),          test(reader),   test(linked),    test(needs_own_place),
	        test(named_default), test(moved),    test(exchanged), test(one_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
