// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/signal-undo.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "temp-tree.h"

/*
 * Runs @work in a child process, for which @number is not ignored. Returns the
 * signal that ended it, or 0. A shell starts background jobs with SIGINT and
 * SIGQUIT ignored, nohup(1) with SIGHUP.
 */
static int run(void (*work)(const struct temp_tree *tree, int signal), const struct temp_tree *tree,
               int number)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		signal(number, SIG_DFL);
		work(tree, number);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void end_with_two(const struct temp_tree *tree, int signal)
{
	struct signal_undo a = {.dir_fd = tree->fd, .name = "a"};
	struct signal_undo b = {.dir_fd = tree->fd, .name = "b"};

	signal_undo_push(&a);
	signal_undo_push(&b);
	raise(signal);
}

static void end_behind_one(const struct temp_tree *tree, int signal)
{
	struct signal_undo a = {.dir_fd = tree->fd, .name = "a"};
	struct signal_undo b = {.dir_fd = tree->fd, .name = "b"};

	signal_undo_push(&a);
	signal_undo_push(&b);
	signal_undo_pop(&a);
	raise(signal);
}

static void end_behind_all(const struct temp_tree *tree, int number)
{
	struct signal_undo a = {.dir_fd = tree->fd, .name = "a"};
	struct sigaction now;

	signal_undo_push(&a);
	signal_undo_pop(&a);
	if (sigaction(number, NULL, &now) != 0 || now.sa_handler != SIG_DFL)
		_exit(1);
	raise(number);
}

static void end_ignored(const struct temp_tree *tree, int number)
{
	struct signal_undo a = {.dir_fd = tree->fd, .name = "a"};

	signal(number, SIG_IGN);
	signal_undo_push(&a);
	raise(number);
}

/* A copy of the process has the handler, and owns nothing. */
static void end_copy(const struct temp_tree *tree, int signal)
{
	struct signal_undo a = {.dir_fd = tree->fd, .name = "a"};
	int status;
	pid_t child;

	signal_undo_push(&a);
	child = fork();
	if (child == 0) {
		raise(signal);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status) ||
	    WTERMSIG(status) != signal)
		_exit(1);
	_exit(0);
}

/* A copy has names of its own, and its parent's stay. */
static void end_copy_with_one(const struct temp_tree *tree, int number)
{
	struct signal_undo a = {.dir_fd = tree->fd, .name = "a"};
	struct signal_undo b = {.dir_fd = tree->fd, .name = "b"};
	int status;
	pid_t child;

	signal_undo_push(&a);
	child = fork();
	if (child == 0) {
		/* Only a registration of its own sets the handler again. */
		signal(number, SIG_DFL);
		signal_undo_push(&b);
		raise(number);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status) ||
	    faccessat(tree->fd, "b", F_OK, 0) == 0)
		_exit(1);
	_exit(0);
}

/* A signal that another handler gives back ends the program as before. */
static void end_given_back(const struct temp_tree *tree, int number)
{
	struct signal_undo a = {.dir_fd = tree->fd, .name = "a"};

	signal(number, SIG_IGN);
	signal_undo_push(&a);
	signal_undo_set_default(number);
	raise(number);
}

/* The names go in the reverse order: a directory after what is in it. */
static void end_with_directory(const struct temp_tree *tree, int signal)
{
	struct signal_undo directory = {.dir_fd = tree->fd, .name = "d", .flags = AT_REMOVEDIR};
	struct signal_undo inner = {.dir_fd = tree->fd, .name = "d/c"};

	temp_tree_write_text(tree, "d/c", "3");
	signal_undo_push(&directory);
	signal_undo_push(&inner);
	raise(signal);
}

/* Returns the status of a process that is process 1 of its PID namespace and gets the signal, or -1
 * where there can be no such namespace. */
static int end_init(const struct temp_tree *tree, int number)
{
	struct signal_undo a = {.dir_fd = tree->fd, .name = "a"};
	int status;
	sigset_t ending;
	pid_t child;

	if (unshare(CLONE_NEWPID) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0)
		return -1;
	child = fork();
	if (child == 0) {
		signal_undo_push(&a);
		raise(number);
		signal_undo_set_default(number);
		raise(number);
		signal_set_ending(&ending);
		_exit(faccessat(tree->fd, "a", F_OK, 0) == 0 && sigisemptyset(&ending) ? 0 : 1);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 2;
	return WEXITSTATUS(status);
}

/* No signal without a handler ends process 1 of a PID namespace, so its names stay. */
static void test_init(void **state)
{
	enum { NO_NAMESPACE = 77 };
	const int signals[] = {SIGTERM, SIGUSR1, SIGRTMAX};

	temp_tree_write_text(*state, "a", "1");
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			signal(signals[i], SIG_DFL);
			status = end_init(*state, signals[i]);
			_exit(status < 0 ? NO_NAMESPACE : status);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == NO_NAMESPACE)
			skip();
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

static void check(const struct temp_tree *tree, void (*work)(const struct temp_tree *, int),
                  int signal, int ended_by, unsigned left)
{
	temp_tree_write_text(tree, "a", "1");
	temp_tree_write_text(tree, "b", "2");
	assert_int_equal(run(work, tree, signal), ended_by);
	assert_int_equal(temp_tree_count(tree, "."), left);
}

static void test_signals(void **state)
{
	const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,  SIGPIPE,
	                       SIGALRM, SIGUSR1, SIGXCPU, SIGRTMIN, SIGRTMAX};

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		check(*state, end_with_two, signals[i], signals[i], 0);
		check(*state, end_behind_one, signals[i], signals[i], 1);
		check(*state, end_behind_all, signals[i], signals[i], 2);
		check(*state, end_ignored, signals[i], 0, 2);
		check(*state, end_copy, signals[i], 0, 2);
		check(*state, end_copy_with_one, signals[i], 0, 1);
		check(*state, end_with_directory, signals[i], signals[i], 2);
		check(*state, end_given_back, signals[i], signals[i], 1);
	}
	/* These do not end a program. */
	check(*state, end_with_two, SIGCHLD, 0, 2);
	check(*state, end_with_two, SIGWINCH, 0, 2);
}

static void test_set(void **state)
{
	sigset_t set;

	(void)state;
	signal_set_ending(&set);
	assert_int_equal(sigismember(&set, SIGTERM), 1);
	assert_int_equal(sigismember(&set, SIGKILL), 0);
	assert_int_equal(sigismember(&set, SIGSEGV), 0);
	assert_int_equal(sigismember(&set, SIGTSTP), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_signals, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_init, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test(test_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
