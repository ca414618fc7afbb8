// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#include "base/mem.h"
#include "export/export-child.h"

/* The ways in which the work ends. */
enum way { RETURNS, FAILS, EXITS, CRASHES, LACKS_MEMORY, HANGS };

static int work(void *context)
{
	switch (*(enum way *)context) {
	case RETURNS:
		return 0;
	case FAILS:
		return -EIO;
	case EXITS:
		exit(1);
	case CRASHES:
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
		break;
	case LACKS_MEMORY:
		mem_exhausted();
	case HANGS:
		kill(getppid(), SIGTERM);
		for (;;)
			pause();
	}
	return 0;
}

static int run(enum way way, int *ret_signal)
{
	struct held_signals held;
	int r;

	export_child_hold_signals(&held);
	r = export_child_run(work, &way, &held, ret_signal);
	export_child_raise(&held, 0);
	return r;
}

static void test_ends(void **state)
{
	static const int ends[] = {
	        [RETURNS] = EXPORT_CHILD_DONE,        [FAILS] = EXPORT_CHILD_FAILED,
	        [EXITS] = EXPORT_CHILD_ENDED,         [CRASHES] = EXPORT_CHILD_ENDED,
	        [LACKS_MEMORY] = EXPORT_CHILD_FAILED,
	};
	int signal;

	(void)state;
	for (unsigned way = 0; way < ARRAY_SIZE(ends); way++) {
		assert_int_equal(run((enum way)way, &signal), ends[way]);
		assert_int_equal(signal, 0);
	}
}

/* Returns the status of a process that has SIGTERM as it is told, and whose child sends it. It says by a byte that it came to the end of
 * its work. */
static int ask(bool ignores, bool *ret_came)
{
	int ends[2], status;
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		struct held_signals held;
		enum way way = HANGS;
		int asked, r;

		signal(SIGTERM, ignores ? SIG_IGN : SIG_DFL);
		ualarm(ignores ? 100000 : 0, 0);
		export_child_hold_signals(&held);
		r = export_child_run(work, &way, &held, &asked);
		if (r != EXPORT_CHILD_ENDED || asked != (ignores ? SIGALRM : SIGTERM) ||
		    write(ends[1], "", 1) != 1)
			_exit(9);
		export_child_raise(&held, asked);
		_exit(8);
	}
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	*ret_came = read(ends[0], &byte, 1) == 1;
	close(ends[0]);
	return status;
}

/* The work ends before the process does. An ignored signal ends neither: then SIGALRM does. */
static void test_signals(void **state)
{
	bool came;
	int status;

	(void)state;
	status = ask(false, &came);
	assert_true(came && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	status = ask(true, &came);
	assert_true(came && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
}

/* A signal that is not held ends the process at once. */
static void test_release(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		struct held_signals held;

		signal(SIGTERM, SIG_DFL);
		export_child_hold_signals(&held);
		raise(SIGTERM);
		export_child_release(&held);
		_exit(8);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

/* Signals that the caller has blocked stay so, in the work as well. */
static int is_blocked(void *context)
{
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	return sigismember(&blocked, *(int *)context) ? 0 : -EIO;
}

static void test_mask(void **state)
{
	int number = SIGHUP, other = SIGTERM, asked;
	struct held_signals held;
	sigset_t set, after;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_BLOCK, &set, NULL);
	export_child_hold_signals(&held);
	raise(number);
	assert_int_equal(export_child_run(is_blocked, &number, &held, &asked), EXPORT_CHILD_DONE);
	assert_int_equal(export_child_run(is_blocked, &other, &held, &asked), EXPORT_CHILD_FAILED);
	assert_int_equal(asked, 0);
	export_child_raise(&held, 0);
	sigprocmask(SIG_BLOCK, NULL, &after);
	assert_true(sigismember(&after, number) && !sigismember(&after, other) &&
	            !sigismember(&after, SIGCHLD));
	signal(number, SIG_IGN);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(number, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_ends),
	        cmocka_unit_test(test_signals),
	        cmocka_unit_test(test_release),
	        cmocka_unit_test(test_mask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
