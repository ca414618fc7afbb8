// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of a process that are read after its threads: only while it is the same one, and alive. */
#include "check.h"

#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "capture/process-read.h"
#include "temp-tree.h"

enum { TGID = 7, BORN = 4711 };

static struct {
	const struct temp_tree *tree;
	const char
	        *stat_then; /* what stat is once the link was read; "" for none; NULL: as it was */
} befalls;

enum { START_STACK = 140000 };

static void write_stat(const struct temp_tree *tree, unsigned threads, unsigned long born,
                       unsigned long mapped)
{
	char text[256];

	snprintf(text, sizeof(text),
	         "7 (a) b) S 1 7 7 0 -1 0 5 6 7 8 9 10 11 12 20 0 %u 0 %lu %lu 3 0 1 2 %d 0\n",
	         threads, born, mapped, START_STACK);
	temp_tree_write_text(tree, "7/task/7/stat", text);
}

int __real_fd_read_link_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);
int __wrap_fd_read_link_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes);
int __wrap_fd_read_link_at(int dir_fd, const char *name, struct strbuf *out, size_t max_bytes)
{
	if (strcmp(name, "exe") != 0)
		return __real_fd_read_link_at(dir_fd, name, out, max_bytes);
	if (befalls.stat_then && befalls.stat_then[0])
		write_stat(befalls.tree, 1, BORN, 0);
	else if (befalls.stat_then)
		assert_int_equal(unlinkat(befalls.tree->fd, "7/task/7/stat", 0), 0);
	return __real_fd_read_link_at(dir_fd, name, out, max_bytes);
}

static int setup(void **state)
{
	int r = temp_tree_setup(state);

	befalls.tree = *state;
	befalls.stat_then = NULL;
	write_stat(*state, 2, BORN, 8192);
	temp_tree_write_text(*state, "7/smaps_rollup", "0-1 ---p 0 0:0 0 [rollup]\nRss: 12 kB\n");
	assert_int_equal(symlinkat("/bin/program", befalls.tree->fd, "7/exe"), 0);
	return r;
}

static struct process_reader reader;

static bool read_rest(const struct process_seen *seen)
{
	const struct process_wishes wishes = {.smaps = CAPTURE_SMAPS_ALL, .paths = true};
	cleanup_(fd_closep) int process_fd = fd_open_path_at(befalls.tree->fd, "7");
	bool is_same = !seen;

	process_reader_init(&reader, befalls.tree->fd, &wishes, NULL);
	assert_int_equal(process_read_rest(&reader, process_fd, seen, &is_same), 0);
	return is_same;
}

static const struct process_seen alive = {.tgid = TGID, .born_clock_ticks = BORN};

static void test_alive(void **state)
{
	(void)state;
	assert_true(read_rest(&alive));
	assert_string_equal(strbuf_str(&reader.sample.exe), "/bin/program");
	assert_true(reader.sample.has_smaps);
	process_reader_done(&reader);
}

/* A number that was given to another process. */
static void test_another_one(void **state)
{
	struct process_seen seen = alive;

	(void)state;
	for (int step = -1; step <= 1; step += 2) {
		seen.born_clock_ticks = (uint64_t)(BORN + step);
		assert_false(read_rest(&seen));
		assert_false(reader.sample.has_exe);
		process_reader_done(&reader);
	}
}

/* A leader that has exited has no executable, but the threads that it has left have, but for those that are exiting. */
static void test_leader_has_exited(void **state)
{
	static const char *const files[] = {"7/task/8/comm", "7/task/9/comm"};
	struct process_seen seen = alive;

	seen.had_ended = true;
	write_stat(*state, 3, BORN, 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		temp_tree_write_text(*state, files[i], "thread");
	assert_true(read_rest(&seen));
	assert_false(reader.sample.has_exe);
	assert_int_equal(reader.sample.outcomes[SOURCE_exe], OUTCOME_off);
	process_reader_done(&reader);
	assert_int_equal(symlinkat("/bin/left", befalls.tree->fd, "7/task/9/exe"), 0);
	assert_true(read_rest(&seen));
	assert_string_equal(strbuf_str(&reader.sample.exe), "/bin/left");
	assert_int_equal(reader.sample.outcomes[SOURCE_exe], OUTCOME_read);
	process_reader_done(&reader);
}

/* It has become a zombie since, or it was one already; a leader that has exited leaves its threads. */
static void test_ended(void **state)
{
	struct process_seen seen = alive;

	write_stat(*state, 1, BORN, 0);
	assert_false(read_rest(&seen));
	process_reader_done(&reader);
	seen.had_ended = true;
	assert_true(read_rest(&seen));
	assert_true(reader.sample.has_exe);
	assert_int_equal(reader.sample.exe.len, 0);
	process_reader_done(&reader);
	write_stat(*state, 2, BORN, 0);
	assert_true(read_rest(&alive));
	assert_false(reader.sample.has_exe);
	assert_int_equal(reader.sample.outcomes[SOURCE_exe], OUTCOME_off);
	process_reader_done(&reader);
}

/* While it is read. */
static void test_ends(void **state)
{
	static const char *const then[] = {"", "zombie"};

	for (size_t i = 0; i < ARRAY_SIZE(then); i++) {
		write_stat(*state, 1, BORN, 8192);
		befalls.stat_then = then[i];
		unlinkat(befalls.tree->fd, "7/exe", 0);
		assert_false(read_rest(&alive));
		process_reader_done(&reader);
	}
}

/* Some have no executable, and live. */
static void test_without_executable(void **state)
{
	(void)state;
	unlinkat(befalls.tree->fd, "7/exe", 0);
	assert_true(read_rest(&alive));
	assert_int_equal(reader.sample.outcomes[SOURCE_exe], OUTCOME_off);
	process_reader_done(&reader);
}

/* Another program since: what is there now hangs on that one. */
static void test_executed(void **state)
{
	struct process_seen seen = alive;

	(void)state;
	seen.start_stack = START_STACK;
	assert_true(read_rest(&seen));
	assert_false(reader.has_executed);
	assert_true(reader.sample.has_exe);
	process_reader_done(&reader);
	seen.start_stack = START_STACK + 16;
	assert_true(read_rest(&seen));
	assert_true(reader.has_executed);
	assert_false(reader.sample.has_exe || reader.sample.has_smaps);
	assert_int_equal(reader.sample.outcomes[SOURCE_exe], OUTCOME_gone);
	assert_int_equal(reader.sample.outcomes[SOURCE_cwd], OUTCOME_gone);
	assert_int_equal(reader.sample.outcomes[SOURCE_smaps_rollup], OUTCOME_gone);
	process_reader_done(&reader);
	/* The stack is not known. */
	temp_tree_write_text(
	        befalls.tree, "7/task/7/stat",
	        "7 (a) b) S 1 7 7 0 -1 0 5 6 7 8 9 10 11 12 20 0 2 0 4711 8192 3 0 1 1 0 0\n");
	assert_true(read_rest(&seen));
	assert_false(reader.has_executed);
	process_reader_done(&reader);
}

static void test_gone(void **state)
{
	(void)state;
	unlinkat(befalls.tree->fd, "7/task/7/stat", 0);
	assert_false(read_rest(&alive));
	process_reader_done(&reader);
}

/* The process has ended since: every source that was asked for has that reason, and no value of the process before. */
static void test_nothing_is_left(void **state)
{
	static const enum metric_source sources[] = {SOURCE_exe,          SOURCE_cwd,
	                                             SOURCE_smaps_rollup, SOURCE_process_stat,
	                                             SOURCE_process_io,   SOURCE_process_taskstats};

	(void)state;
	assert_true(read_rest(&alive));
	process_read_gone(&reader);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		assert_int_equal(reader.sample.outcomes[sources[i]], OUTCOME_gone);
	assert_int_equal(reader.sample.outcomes[SOURCE_title], OUTCOME_skipped);
	assert_false(reader.sample.has_exe);
	assert_false(reader.sample.has_smaps);
	process_reader_done(&reader);
}

int main(void)
{
#define TEST(test_) cmocka_unit_test_setup_teardown(test_, setup, temp_tree_teardown)
	const struct CMUnitTest tests[] = {
	        TEST(test_nothing_is_left),    TEST(test_alive),
	        TEST(test_another_one),        TEST(test_ended),
	        TEST(test_leader_has_exited),  TEST(test_ends),
	        TEST(test_without_executable), TEST(test_gone),
	        TEST(test_executed),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
