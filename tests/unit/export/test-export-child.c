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
	int r;

	export_child_hold_signals();
	r = export_child_run(work, &way, ret_signal);
	export_child_raise(0);
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
		enum way way = HANGS;
		int asked, r;

		signal(SIGTERM, ignores ? SIG_IGN : SIG_DFL);
		ualarm(ignores ? 100000 : 0, 0);
		export_child_hold_signals();
		r = export_child_run(work, &way, &asked);
		if (r != EXPORT_CHILD_ENDED || asked != SIGTERM || write(ends[1], "", 1) != 1)
			_exit(9);
		export_child_raise(asked);
		_exit(8);
	}
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	*ret_came = read(ends[0], &byte, 1) == 1;
	close(ends[0]);
	return status;
}

/* The work ends before the process does. An ignored signal ends neither: then SIGALRM does, and the child with its parent. */
static void test_signals(void **state)
{
	bool came;
	int status;

	(void)state;
	status = ask(false, &came);
	assert_true(came && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	status = ask(true, &came);
	assert_true(!came && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_ends),
	        cmocka_unit_test(test_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
