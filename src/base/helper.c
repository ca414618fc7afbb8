// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/helper.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

#include "ctprof/macro.h"

void helper_ignore_signals(void)
{
	static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGALRM, SIGTERM,
	                              SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t none;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		(void)signal(signals[i], SIG_IGN);
	(void)signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

void helper_reap(pid_t pid, unsigned wait_ms)
{
	const struct timespec millisecond = {.tv_nsec = 1000000};

	for (unsigned i = 0; i <= wait_ms; i++) {
		pid_t r = waitpid(pid, NULL, WNOHANG);

		if (r == pid || (r < 0 && errno != EINTR))
			return;
		(void)nanosleep(&millisecond, NULL);
	}
}
