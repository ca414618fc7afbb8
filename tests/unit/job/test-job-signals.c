// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-signals.h"

#include <unistd.h>

#include "check.h"

static bool is_blocked(int number)
{
	sigset_t mask;

	assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &mask), 0);
	return sigismember(&mask, number) == 1;
}

static void test_wait_in_the_descriptor(void **state)
{
	cleanup_(job_signals_done) struct job_signals signals = JOB_SIGNALS_INIT;
	struct signalfd_siginfo signal;

	(void)state;
	assert_int_equal(job_signals_init(&signals), 0);
	assert_false(job_signals_next(&signals, &signal));
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	assert_int_equal(kill(getpid(), SIGRTMIN), 0);
	assert_true(job_signals_next(&signals, &signal));
	assert_int_equal(signal.ssi_signo, SIGTERM);
	assert_true(job_signal_is_sent(&signal));
	assert_true(job_signals_next(&signals, &signal));
	assert_int_equal(signal.ssi_signo, SIGRTMIN);
	assert_false(job_signals_next(&signals, &signal));
	/* The terminal's come from the kernel. */
	signal.ssi_code = SI_KERNEL;
	assert_false(job_signal_is_sent(&signal));
	/* Job control is left alone. */
	assert_false(is_blocked(SIGTSTP));
	assert_false(is_blocked(SIGCONT));
	assert_false(is_blocked(SIGTTOU));
}

static void test_everything_is_set_back(void **state)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before, now;
	struct job_inherited inherited;
	struct job_signals signals;

	(void)state;
	assert_int_equal(sigaction(SIGCHLD, &ignore, &before), 0);
	assert_int_equal(job_inherited_save(&inherited), 0);
	assert_int_equal(job_signals_init(&signals), 0);
	/* A runner that ignores it cannot wait for anybody. */
	assert_int_equal(sigaction(SIGCHLD, NULL, &now), 0);
	assert_ptr_equal(now.sa_handler, SIG_DFL);
	assert_true(is_blocked(SIGTERM));
	/* One that waits does not strike afterwards. */
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	job_signals_done(&signals);
	assert_false(is_blocked(SIGTERM));
	/* The summary is still to be written. */
	assert_int_equal(sigaction(SIGPIPE, NULL, &now), 0);
	assert_ptr_equal(now.sa_handler, SIG_IGN);
	job_inherited_restore(&inherited);
	assert_int_equal(sigaction(SIGCHLD, NULL, &now), 0);
	assert_ptr_equal(now.sa_handler, SIG_IGN);
	assert_int_equal(sigaction(SIGPIPE, NULL, &now), 0);
	assert_ptr_equal(now.sa_handler, SIG_DFL);
	assert_int_equal(sigaction(SIGCHLD, &before, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_wait_in_the_descriptor),
	        cmocka_unit_test(test_everything_is_set_back),
	};

	(void)signal(SIGPIPE, SIG_DFL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
