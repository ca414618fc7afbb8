// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "memory-stream.h"
#include "recording/recording-write.h"
#include "temp-tree.h"

/* 2026-11-23 05:40:12 UTC */
#define MORNING UINT64_C(1795412412)
#define MORNING_NAME "20261123T054012Z.ctprof.zst"

static void names_are_those_of_times(void **state)
{
	static const char *const others[] = {"",
	                                     "recorder.lock",
	                                     "20261123T054012Z.ctprof.zs",
	                                     "20261123T054012Z.ctprof.zst~",
	                                     "20261323T054012Z.ctprof.zst",
	                                     "20261123T054062Z.ctprof.zst",
	                                     "x20261123T054012Z.ctprof.zst",
	                                     "99999999999999"};
	char name[RECORDING_NAME_BYTES];
	uint64_t seconds = 0;

	(void)state;
	assert_true(recording_name_make(MORNING, name));
	assert_string_equal(name, MORNING_NAME);
	assert_true(recording_name_parse(name, &seconds));
	assert_int_equal(seconds, MORNING);
	assert_false(recording_name_make(UINT64_C(300000000000), name));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(recording_name_parse(others[i], &seconds));
	assert_int_equal(seconds, MORNING);
}

static size_t excess_of(struct recording_keep keep, uint64_t now_unix_s)
{
	struct recording_file entries[] = {
	        {"a", 1000, 10, 0}, {"b", 2000, 4, 6}, {"c", 3000, 10, 0}};
	struct recording_files files = {.entries = entries, .count = 3};

	return recording_keep_excess(&keep, &files, now_unix_s);
}

static void old_files_go_and_the_last_stays(void **state)
{
	(void)state;
	assert_int_equal(excess_of((struct recording_keep){0}, 9000), 0);
	/* The first one ends at 2000, where the second one begins. */
	assert_int_equal(excess_of((struct recording_keep){.seconds = 3000}, 5000), 0);
	assert_int_equal(excess_of((struct recording_keep){.seconds = 3000}, 5001), 1);
	assert_int_equal(excess_of((struct recording_keep){.seconds = 1}, 90000), 2);
	assert_int_equal(excess_of((struct recording_keep){.bytes = 30}, 9000), 0);
	assert_int_equal(excess_of((struct recording_keep){.bytes = 29}, 9000), 1);
	assert_int_equal(excess_of((struct recording_keep){.bytes = 1}, 9000), 2);
}

/* A clock that was wrong has made the last two of four. */
static void assert_excess(struct recording_keep keep, const char *names)
{
	struct recording_file entries[] = {
	        {"a", 1000, 10, 0}, {"b", 2000, 10, 0}, {"y", 90000, 10, 0}, {"z", 91000, 10, 0}};
	struct recording_files files = {.entries = entries, .count = 4};
	size_t count = recording_keep_excess(&keep, &files, 9000);

	assert_int_equal(count, strlen(names));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(entries[i].name[0], names[i]);
}

static void files_of_later_times_do_not_keep_others_out(void **state)
{
	(void)state;
	assert_excess((struct recording_keep){.bytes = 40}, "");
	assert_excess((struct recording_keep){.bytes = 30}, "y");
	assert_excess((struct recording_keep){.bytes = 10}, "yza");
	assert_excess((struct recording_keep){.bytes = 1}, "yza");
	/* The age of those is not known. */
	assert_excess((struct recording_keep){.seconds = 1000}, "a");
	assert_excess((struct recording_keep){.seconds = 1000, .bytes = 30}, "ya");
}

static uint64_t size_of(const struct temp_tree *tree, const char *name)
{
	struct stat status;

	assert_int_equal(fstatat(tree->fd, name, &status, 0), 0);
	return (uint64_t)status.st_size;
}

static void an_hour_is_a_file(void **state)
{
	const struct temp_tree *tree = *state;
	const struct recording_keep keep = {0};
	struct recording_writer writer;
	struct stat status;

	assert_int_equal(recording_writer_open(&writer, tree->fd, &keep), 0);
	assert_true(recording_writer_begins_file(&writer, MORNING));
	assert_int_equal(recording_writer_append(&writer, MORNING, "one", 3), 0);
	assert_false(recording_writer_begins_file(&writer, MORNING + 10));
	assert_int_equal(recording_writer_append(&writer, MORNING + 10, "two", 3), 0);
	temp_tree_assert_text(tree, MORNING_NAME, "onetwo");
	assert_int_equal(fstatat(tree->fd, MORNING_NAME, &status, 0), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_true(recording_writer_begins_file(&writer, MORNING + 3600));
	assert_int_equal(recording_writer_append(&writer, MORNING + 3600, "x", 1), 0);
	assert_int_equal(temp_tree_count(tree, "."), 2);
	/* The clock was set back: the file that is there stays as it is. */
	assert_true(recording_writer_begins_file(&writer, MORNING));
	assert_int_equal(recording_writer_append(&writer, MORNING, "y", 1), 0);
	temp_tree_assert_text(tree, MORNING_NAME, "onetwo");
	assert_int_equal(temp_tree_count(tree, "."), 3);
	recording_writer_done(&writer);
}

static void a_removed_file_is_made_anew(void **state)
{
	const struct temp_tree *tree = *state;
	const struct recording_keep keep = {0};
	struct recording_writer writer;

	assert_int_equal(recording_writer_open(&writer, tree->fd, &keep), 0);
	assert_int_equal(recording_writer_append(&writer, MORNING, "one", 3), 0);
	assert_int_equal(unlinkat(tree->fd, MORNING_NAME, 0), 0);
	assert_true(recording_writer_begins_file(&writer, MORNING + 10));
	assert_int_equal(recording_writer_append(&writer, MORNING + 10, "two", 3), 0);
	assert_int_equal(temp_tree_count(tree, "."), 1);
	recording_writer_done(&writer);
}

/* A directory of an old file's name stands for a file that cannot be removed. */
static void what_stays_keeps_no_window_out(void **state)
{
	const struct temp_tree *tree = *state;
	const struct recording_keep keep = {.bytes = 1};
	struct recording_writer writer;

	temp_tree_write_text(tree, "20200101T000000Z.ctprof.zst", "old");
	temp_tree_write_text(tree, "20200102T000000Z.ctprof.zst", "old");
	assert_int_equal(mkdirat(tree->fd, "20200101T000000Z.ctprof.sums", 0700), 0);
	assert_int_equal(recording_writer_open(&writer, tree->fd, &keep), 0);
	assert_int_equal(recording_writer_append(&writer, MORNING, "one", 3), 0);
	assert_int_equal(writer.keep_error, -EISDIR);
	temp_tree_assert_text(tree, MORNING_NAME, "one");
	recording_writer_done(&writer);
}

static void a_restart_cuts_the_torn_tail(void **state)
{
	const struct temp_tree *tree = *state;
	const struct recording_keep keep = {0};
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	struct recording_writer writer;
	size_t whole;

	zstd_pack("{}", 2, &bytes);
	whole = bytes.len;
	zstd_pack("{}", 2, &bytes);
	temp_tree_write(tree, MORNING_NAME, bytes.data, bytes.len - 3);
	temp_tree_write_text(tree, "notes", "mine");
	assert_int_equal(recording_writer_open(&writer, tree->fd, &keep), 0);
	assert_int_equal(size_of(tree, MORNING_NAME), whole);
	assert_int_equal(size_of(tree, "notes"), 4);
	assert_true(recording_writer_begins_file(&writer, MORNING));
	recording_writer_done(&writer);
}

/* Writes two windows, with other bytes before, between or behind them, and begins a recording again. Returns whether it says that the file
 * is damaged; it stays as it was in any case. */
static bool is_called_damaged(const struct temp_tree *tree, const char *before, const char *between,
                              const char *behind)
{
	const struct recording_keep keep = {0};
	cleanup_(strbuf_done) struct strbuf bytes = STRBUF_INIT;
	struct recording_writer writer;
	bool damaged;

	strbuf_add_str(&bytes, before);
	zstd_pack("{}", 2, &bytes);
	strbuf_add_str(&bytes, between);
	zstd_pack("{}", 2, &bytes);
	strbuf_add_str(&bytes, behind);
	temp_tree_write(tree, MORNING_NAME, bytes.data, bytes.len);
	assert_int_equal(recording_writer_open(&writer, tree->fd, &keep), 0);
	assert_int_equal(size_of(tree, MORNING_NAME), bytes.len);
	damaged = strcmp(writer.damaged, MORNING_NAME) == 0;
	assert_true(damaged || writer.damaged[0] == '\0');
	assert_true(recording_writer_begins_file(&writer, MORNING));
	recording_writer_done(&writer);
	return damaged;
}

static void a_restart_leaves_what_is_damaged(void **state)
{
	assert_false(is_called_damaged(*state, "", "", ""));
	assert_true(is_called_damaged(*state, "x", "", ""));
	assert_true(is_called_damaged(*state, "", "\x29\xb5\x2f\xfd", ""));
	/* No recorder writes such a tail, and readers pass over it. */
	assert_false(is_called_damaged(*state, "", "", "notes"));
}

/* A file may grow no further, as on a disk that is full. */
static void a_window_is_written_whole_or_not_at_all(void **state)
{
	const struct temp_tree *tree = *state;
	const struct recording_keep keep = {0};
	struct recording_writer writer;
	pid_t child = fork();
	int status;

	if (child == 0) {
		const struct rlimit limit = {5, 5};
		bool good;

		signal(SIGXFSZ, SIG_IGN);
		good = recording_writer_open(&writer, tree->fd, &keep) == 0 &&
		       recording_writer_append(&writer, MORNING, "one", 3) == 0 &&
		       setrlimit(RLIMIT_FSIZE, &limit) == 0 &&
		       recording_writer_append(&writer, MORNING, "three", 5) == -EFBIG &&
		       recording_writer_append(&writer, MORNING, "2", 1) == 0;
		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	temp_tree_assert_text(tree, MORNING_NAME, "one2");
}

/* A lock that is no file is none: who asks for the owner does not open it. */
static void a_lock_is_a_file(void **state)
{
	const struct temp_tree *tree = *state;
	struct recording_owner owner;

	assert_int_equal(mkfifoat(tree->fd, "recorder.lock", 0600), 0);
	assert_int_equal(recording_lock(tree->fd, 1), -EMEDIUMTYPE);
	assert_int_equal(recording_lock_owner(tree->fd, &owner), -EMEDIUMTYPE);
}

/* Locks are of processes, so another one asks. */
static void one_recorder_has_the_lock(void **state)
{
	const struct temp_tree *tree = *state;
	const uint64_t since_ns = MORNING * NS_PER_SECOND + 5;
	int lock = recording_lock(tree->fd, since_ns), status;
	struct recording_owner owner = {.pid = -1};
	pid_t child;

	assert_true(lock >= 0);
	child = fork();
	if (child == 0) {
		bool good = recording_lock(tree->fd, since_ns + NS_PER_SECOND) == -EBUSY &&
		            recording_lock_owner(tree->fd, &owner) == 0 && owner.pid == getppid() &&
		            owner.since_unix_ns == since_ns;

		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(lock);
	assert_int_equal(recording_lock_owner(tree->fd, &owner), 0);
	assert_int_equal(owner.pid, 0);
	assert_int_equal(owner.since_unix_ns, 0);
}

static void others_may_not_write_there(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	char *path = temp_tree_path(tree, "new");
	struct stat status;
	int fd = recording_directory_make(path, &reason);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	close(fd);
	assert_int_equal(fchmodat(tree->fd, "new", 0777, 0), 0);
	assert_int_equal(recording_directory_make(path, &reason), -EPERM);
	assert_non_null(strstr(strbuf_str(&reason), "other users may write there"));
	free(path);
}

/* A user who may rename the directory may put another recording in its place, whose old files would go. */
static void others_may_not_exchange_it(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	char *path = temp_tree_path(tree, "above/rec");
	int fd;

	assert_int_equal(mkdirat(tree->fd, "above", 0700), 0);
	assert_int_equal(fchmodat(tree->fd, "above", 0777, 0), 0);
	assert_int_equal(recording_directory_make(path, &reason), -EPERM);
	assert_non_null(strstr(strbuf_str(&reason), "other users may rename"));
	assert_int_equal(faccessat(tree->fd, "above/rec", F_OK, 0), -1);
	assert_int_equal(fchmodat(tree->fd, "above", 01777, 0), 0);
	fd = recording_directory_make(path, &reason);
	assert_true(fd >= 0);
	close(fd);
	free(path);
}

#define IN_TREE(test_) cmocka_unit_test_setup_teardown(test_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(names_are_those_of_times),
	        cmocka_unit_test(old_files_go_and_the_last_stays),
	        IN_TREE(an_hour_is_a_file),
	        cmocka_unit_test(files_of_later_times_do_not_keep_others_out),
	        IN_TREE(a_removed_file_is_made_anew),
	        IN_TREE(what_stays_keeps_no_window_out),
	        IN_TREE(a_restart_leaves_what_is_damaged),
	        IN_TREE(a_restart_cuts_the_torn_tail),
	        IN_TREE(a_window_is_written_whole_or_not_at_all),
	        IN_TREE(one_recorder_has_the_lock),
	        IN_TREE(a_lock_is_a_file),
	        IN_TREE(others_may_not_write_there),
	        IN_TREE(others_may_not_exchange_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
