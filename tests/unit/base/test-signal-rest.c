// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/signal-rest.h"

/* Two that have come, and one that comes 10 ms later. */
static void test_takes_all(void **state)
{
	const struct itimerval later = {.it_value = {.tv_usec = 10000}};
	cleanup_(fd_closep) int fd = -1;
	struct signalfd_siginfo which;
	sigset_t set, pending;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGALRM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	assert_return_code(fd, errno);
	assert_int_equal(raise(SIGTERM), 0);
	assert_int_equal(read(fd, &which, sizeof(which)), sizeof(which));
	assert_int_equal(raise(SIGTERM), 0);
	assert_int_equal(raise(SIGHUP), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &later, NULL), 0);
	signal_take_rest(fd);
	usleep(30000);
	assert_int_equal(read(fd, &which, sizeof(which)), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(sigpending(&pending), 0);
	assert_int_equal(sigismember(&pending, SIGALRM), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_takes_all)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
