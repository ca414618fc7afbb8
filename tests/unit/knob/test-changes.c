// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "knob/changes.h"
#include "temp-tree.h"

/* Another user than this one. */
enum { OTHER = 4343 };

/* Two arms, and files that stand for knobs. */
struct scene {
	struct temp_tree *tree;
	struct knob_list arms[2];
	struct changes_options options;
	char *state_dir;
	struct strbuf text;
	struct changes *changes;
};

static int setup(void **state)
{
	struct scene *scene = mem_calloc(1, sizeof(*scene));
	void *tree;

	temp_tree_setup(&tree);
	scene->tree = tree;
	scene->options = CHANGES_OPTIONS_INIT;
	scene->state_dir = temp_tree_path(scene->tree, "state");
	scene->options.state_dir = scene->state_dir;
	temp_tree_write_text(scene->tree, "a", "1\n");
	temp_tree_write_text(scene->tree, "b", "4096\t131072\n");
	*state = scene;
	return 0;
}

static int teardown(void **state)
{
	struct scene *scene = *state;
	void *tree = scene->tree;

	if (scene->changes)
		assert_true(changes_end(scene->changes, &scene->text) >= 0);
	knob_list_done(&scene->arms[0]);
	knob_list_done(&scene->arms[1]);
	strbuf_done(&scene->text);
	free(scene->state_dir);
	temp_tree_teardown(&tree);
	free(scene);
	return 0;
}

static void add_file(struct scene *scene, int arm, const char *name, const char *value)
{
	char *path = temp_tree_path(scene->tree, name);

	assert_int_equal(knob_add(&scene->arms[arm], KNOB_WRITE, path, value, NULL, &scene->text),
	                 0);
	free(path);
}

/* "@" in a command stands for the tree. */
static void add_command(struct scene *scene, int arm, const char *command, const char *undo)
{
	struct strbuf texts[2] = {STRBUF_INIT, STRBUF_INIT};
	const char *from[2] = {command, undo};

	for (int i = 0; i < 2; i++)
		for (const char *at = from[i]; at && *at; at++) {
			if (*at == '@')
				strbuf_add_str(&texts[i], scene->tree->path);
			else
				strbuf_add_char(&texts[i], *at);
		}
	assert_int_equal(knob_add(&scene->arms[arm], undo ? KNOB_EXEC : KNOB_DAEMON, NULL,
	                          strbuf_str(&texts[0]), undo ? strbuf_str(&texts[1]) : NULL,
	                          &scene->text),
	                 0);
	strbuf_done(&texts[0]);
	strbuf_done(&texts[1]);
}

static void succeed(struct scene *scene, int r)
{
	if (r != 0)
		fprintf(stderr, "%d: %s\n", r, strbuf_str(&scene->text));
	assert_int_equal(r, 0);
	assert_string_equal(strbuf_str(&scene->text), "");
}

static void fail_with(struct scene *scene, int r, int error, const char *text)
{
	if (r != error || !strstr(strbuf_str(&scene->text), text))
		fprintf(stderr, "%d: %s\n", r, strbuf_str(&scene->text));
	assert_int_equal(r, error);
	assert_non_null(strstr(strbuf_str(&scene->text), text));
	strbuf_clear(&scene->text);
}

static int begin(struct scene *scene)
{
	return changes_begin(&scene->changes, scene->arms, 2, &scene->options, &scene->text);
}

static int end(struct scene *scene)
{
	struct changes *changes = scene->changes;

	scene->changes = NULL;
	return changes_end(changes, &scene->text);
}

static bool is_pending(struct scene *scene)
{
	struct strbuf line = STRBUF_INIT;
	bool pending = changes_pending(scene->state_dir, &line);

	assert_int_equal(pending, line.len > 0);
	strbuf_done(&line);
	return pending;
}

/* The kernel makes the default of a 0. Nobody else has done that, so the old value is restored. */
static void test_other_value(void **state)
{
	struct scene *scene = *state;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/timerslack_ns", (int)getpid());
	if (prctl(PR_SET_TIMERSLACK, 61000) < 0 || access(path, W_OK) < 0)
		skip();
	assert_int_equal(knob_add(&scene->arms[0], KNOB_WRITE, path, "0", NULL, &scene->text), 0);
	succeed(scene, begin(scene));
	fail_with(scene, changes_try(scene->changes, &scene->text), -EINVAL,
	          "not '0': the value did not take");
	succeed(scene, end(scene));
	assert_int_equal(fd_read_all_at(AT_FDCWD, path, &text, 64), 0);
	assert_string_equal(strbuf_str(&text), "61000\n");
	assert_false(is_pending(scene));
}

/* The same if the runner dies before it finds that, and the journal is all there is. */
static void test_untried_journal(void **state)
{
	struct scene *scene = *state;
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	cleanup_(mem_freep) char *journal = temp_tree_path(scene->tree, "state/changes");
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/timerslack_ns", (int)getpid());
	if (access(path, W_OK) < 0)
		skip();
	assert_int_equal(knob_add(&scene->arms[0], KNOB_WRITE, path, "70000", NULL, &scene->text),
	                 0);
	succeed(scene, begin(scene));
	assert_int_equal(fd_read_all_at(AT_FDCWD, journal, &text, 4096), 0);
	assert_non_null(strstr(strbuf_str(&text), "file plain kernel any /proc/"));
	succeed(scene, changes_try(scene->changes, &scene->text));
	assert_int_equal(fd_read_all_at(AT_FDCWD, journal, &text, 4096), 0);
	assert_non_null(strstr(strbuf_str(&text), "file plain kernel set /proc/"));
	succeed(scene, end(scene));
}

static void test_files(void **state)
{
	struct scene *scene = *state;

	add_file(scene, 0, "a", "2");
	add_file(scene, 1, "a", "3");
	add_file(scene, 1, "b", "4096 65536");
	succeed(scene, begin(scene));
	temp_tree_assert_text(scene->tree, "a", "1\n");
	assert_false(is_pending(scene));
	succeed(scene, changes_try(scene->changes, &scene->text));
	temp_tree_assert_text(scene->tree, "a", "1\n");
	temp_tree_assert_text(scene->tree, "b", "4096\t131072\n");
	for (int i = 0; i < 3; i++) {
		succeed(scene, changes_apply(scene->changes, 1, &scene->text));
		temp_tree_assert_text(scene->tree, "a", "3\n");
		temp_tree_assert_text(scene->tree, "b", "4096 65536\n");
		succeed(scene, changes_apply(scene->changes, 0, &scene->text));
		temp_tree_assert_text(scene->tree, "a", "2\n");
		temp_tree_assert_text(scene->tree, "b", "4096\t131072\n");
		succeed(scene, changes_verify(scene->changes, &scene->text));
	}
	succeed(scene, end(scene));
	temp_tree_assert_text(scene->tree, "a", "1\n");
	assert_false(is_pending(scene));
	/* The lock alone is left. */
	assert_int_equal(temp_tree_count(scene->tree, "state"), 1);
}

static void test_refusals(void **state)
{
	struct scene *scene = *state;
	struct changes *second;

	add_file(scene, 0, "none", "2");
	fail_with(scene, begin(scene), -ENOENT, "No such file");
	knob_list_done(&scene->arms[0]);
	add_file(scene, 0, "a", "2");
	add_file(scene, 0, "a", "3");
	fail_with(scene, begin(scene), -EINVAL, "twice");
	knob_list_done(&scene->arms[0]);
	add_file(scene, 0, "a", "2");
	succeed(scene, begin(scene));
	fail_with(scene, changes_begin(&second, scene->arms, 2, &scene->options, &scene->text),
	          -EBUSY, "another experiment");
	fail_with(scene, changes_restore(scene->state_dir, NULL, &scene->text), -EBUSY, "runs");
	succeed(scene, end(scene));
	assert_int_equal(chmod(scene->state_dir, 0755), 0);
	fail_with(scene, begin(scene), -EPERM, "nobody else");
	assert_int_equal(chmod(scene->state_dir, 0700), 0);
}

/* Others may exchange the file, or the directory with the journal. */
static void test_exchange(void **state)
{
	struct scene *scene = *state;
	cleanup_(mem_freep) char *elsewhere = NULL;
	void *other;

	temp_tree_setup(&other);
	elsewhere = temp_tree_path(other, "state");
	add_file(scene, 0, "a", "2");
	assert_int_equal(chmod(scene->tree->path, 0777), 0);
	fail_with(scene, begin(scene), -EPERM, "other users may rename a directory");
	scene->options.state_dir = elsewhere;
	fail_with(scene, begin(scene), -EPERM,
	          "/a = 2: other users may write its directory (all users have the right: chmod "
	          "o-w)");
	assert_int_equal(chmod(scene->tree->path, 0700), 0);
	temp_tree_teardown(&other);
}

/* The journal lies where nobody else decides: no link of another user's is followed, and no directory is made behind it. Its own link is. */
static void test_state_links(void **state)
{
	struct scene *scene = *state;
	const struct temp_tree *tree = scene->tree;
	cleanup_(mem_freep) char *behind = temp_tree_path(tree, "link/state");

	temp_tree_make_dir(tree, "elsewhere");
	assert_int_equal(symlinkat("elsewhere", tree->fd, "link"), 0);
	scene->options.state_dir = behind;
	add_file(scene, 0, "a", "2");
	succeed(scene, begin(scene));
	succeed(scene, end(scene));
	if (geteuid() != 0)
		return;
	temp_tree_make_dir(tree, "theirs");
	assert_int_equal(fchownat(tree->fd, "theirs", OTHER, OTHER, 0), 0);
	temp_tree_make_dir(tree, "precious");
	assert_int_equal(symlinkat("../precious", tree->fd, "theirs/link"), 0);
	assert_int_equal(fchownat(tree->fd, "theirs/link", OTHER, OTHER, AT_SYMLINK_NOFOLLOW), 0);
	free(behind);
	scene->options.state_dir = behind = temp_tree_path(tree, "theirs/link/state");
	fail_with(scene, begin(scene), -EACCES, "'link' is a symbolic link of user 4343");
	fail_with(scene, changes_restore(behind, NULL, &scene->text), -EACCES, "symbolic link");
	assert_false(changes_pending(behind, &scene->text));
	assert_int_equal(temp_tree_count(tree, "precious"), 0);
}

static void test_foreign(void **state)
{
	struct scene *scene = *state;

	add_file(scene, 0, "a", "2");
	add_file(scene, 1, "b", "1");
	succeed(scene, begin(scene));
	succeed(scene, changes_apply(scene->changes, 0, &scene->text));
	temp_tree_write_text(scene->tree, "a", "9\n");
	fail_with(scene, changes_verify(scene->changes, &scene->text), -ESTALE, "is '9', not '2'");
	fail_with(scene, changes_apply(scene->changes, 1, &scene->text), -ESTALE, "somebody else");
	fail_with(scene, end(scene), 1, "somebody else has set it to '9': left alone; it was '1'");
	temp_tree_assert_text(scene->tree, "a", "9\n");
	temp_tree_assert_text(scene->tree, "b", "4096\t131072\n");
	assert_false(is_pending(scene));
}

static void test_commands(void **state)
{
	struct scene *scene = *state;

	add_command(scene, 0, "echo do >>@/log", "echo undo >>@/log");
	add_command(scene, 0, "echo do2 >>@/log", "echo undo2 >>@/log");
	add_command(scene, 1, "echo do >>@/log", "echo undo >>@/log");
	succeed(scene, begin(scene));
	succeed(scene, changes_try(scene->changes, &scene->text));
	succeed(scene, changes_apply(scene->changes, 0, &scene->text));
	succeed(scene, changes_apply(scene->changes, 0, &scene->text));
	temp_tree_assert_text(scene->tree, "log", "do\ndo2\n");
	/* Settings that both arms have stay. */
	succeed(scene, changes_apply(scene->changes, 1, &scene->text));
	temp_tree_assert_text(scene->tree, "log", "do\ndo2\nundo2\n");
	succeed(scene, changes_apply(scene->changes, 0, &scene->text));
	succeed(scene, end(scene));
	temp_tree_assert_text(scene->tree, "log", "do\ndo2\nundo2\ndo2\nundo2\nundo\n");
}

static void test_failing_commands(void **state)
{
	struct scene *scene = *state;

	add_command(scene, 0, "echo do >>@/log; exit 3", "echo undo >>@/log; test -e @/good");
	succeed(scene, begin(scene));
	fail_with(scene, changes_apply(scene->changes, 0, &scene->text), -ECHILD, "exit status 3");
	fail_with(scene, end(scene), 1, "exit status 1");
	temp_tree_assert_text(scene->tree, "log", "do\nundo\n");
	assert_true(is_pending(scene));
	fail_with(scene, begin(scene), -EUCLEAN, "--restore");
	fail_with(scene, changes_restore(scene->state_dir, NULL, &scene->text), 1, "exit status 1");
	temp_tree_write_text(scene->tree, "good", "");
	succeed(scene, changes_restore(scene->state_dir, NULL, &scene->text));
	succeed(scene, changes_restore(scene->state_dir, NULL, &scene->text));
	temp_tree_assert_text(scene->tree, "log", "do\nundo\nundo\nundo\n");
	assert_false(is_pending(scene));
}

static void test_daemon(void **state)
{
	struct scene *scene = *state;
	struct pollfd watched = {.events = POLLIN};

	add_command(scene, 0, "trap 'echo bye >>@/log; exit' TERM; while :; do sleep 0.05; done",
	            NULL);
	add_command(scene, 1, "sleep 0.3", NULL);
	succeed(scene, begin(scene));
	watched.fd = changes_watch_fd(scene->changes);
	succeed(scene, changes_apply(scene->changes, 0, &scene->text));
	assert_int_equal(poll(&watched, 1, 0), 0);
	succeed(scene, changes_check(scene->changes, &scene->text));
	succeed(scene, changes_apply(scene->changes, 1, &scene->text));
	temp_tree_assert_text(scene->tree, "log", "bye\n");
	assert_int_equal(poll(&watched, 1, 10000), 1);
	fail_with(scene, changes_check(scene->changes, &scene->text), -ECHILD,
	          "ended by itself: exit status 0");
	succeed(scene, end(scene));
}

static void test_stop(void **state)
{
	struct scene *scene = *state;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	scene->options.stop_fd = fds[0];
	add_command(scene, 0, "(sleep 0.2; kill -9 $$) & echo do >>@/log; exec sleep 1000",
	            "echo undo >>@/log");
	add_command(scene, 1, "sleep 1000", "true");
	succeed(scene, begin(scene));
	fail_with(scene, changes_apply(scene->changes, 0, &scene->text), -ECHILD,
	          "killed by signal 9");
	assert_int_equal(write(fds[1], "x", 1), 1);
	fail_with(scene, changes_apply(scene->changes, 1, &scene->text), -EINTR, "interrupted");
	succeed(scene, end(scene));
	temp_tree_assert_text(scene->tree, "log", "do\nundo\n");
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function_) cmocka_unit_test_setup_teardown(function_, setup, teardown)
	        TEST(test_files),    TEST(test_other_value),      TEST(test_untried_journal),
	        TEST(test_refusals), TEST(test_exchange),         TEST(test_state_links),
	        TEST(test_foreign),  TEST(test_commands),         TEST(test_daemon),
	        TEST(test_stop),     TEST(test_failing_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
