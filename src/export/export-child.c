// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/export-child.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

/* Libraries end a process with status 1. */
enum { STATUS_FAILED = 3 };

static const int asking[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

static bool is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* SIGCHLD is waited for. A blocked signal is kept although it is ignored, as nohup(1) has SIGHUP ignored. */
static void fill(sigset_t *ret)
{
	sigemptyset(ret);
	for (size_t i = 0; i < ARRAY_SIZE(asking); i++)
		if (!is_ignored(asking[i]))
			sigaddset(ret, asking[i]);
	sigaddset(ret, SIGCHLD);
}

static void hold(int how)
{
	sigset_t set;

	fill(&set);
	sigprocmask(how, &set, NULL);
}

noreturn_ static void be_child(int (*work)(void *context), void *context, pid_t parent)
{
	hold(SIG_UNBLOCK);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_FAILED);
	mem_set_status(STATUS_FAILED);
	_exit(work(context) == 0 ? 0 : STATUS_FAILED);
}

/* Waits until the child has ended. Returns the signal that ended it before, or 0. */
static int await(pid_t child, int *ret_status)
{
	int asked = 0, signal;
	sigset_t set;

	fill(&set);
	while (waitpid(child, ret_status, WNOHANG) == 0) {
		signal = sigwaitinfo(&set, NULL);
		if (signal <= 0 || signal == SIGCHLD)
			continue;
		asked = signal;
		kill(child, SIGKILL);
	}
	return asked;
}

void export_child_hold_signals(void)
{
	hold(SIG_BLOCK);
}

int export_child_run(int (*work)(void *context), void *context, int *ret_signal)
{
	pid_t parent = getpid(), child;
	int status = 0;

	*ret_signal = 0;
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0)
		be_child(work, context, parent);
	*ret_signal = await(child, &status);
	if (!WIFEXITED(status))
		return EXPORT_CHILD_ENDED;
	switch (WEXITSTATUS(status)) {
	case 0:
		return EXPORT_CHILD_DONE;
	case STATUS_FAILED:
		return EXPORT_CHILD_FAILED;
	default:
		return EXPORT_CHILD_ENDED;
	}
}

void export_child_raise(int signal)
{
	if (signal > 0)
		raise(signal);
	hold(SIG_UNBLOCK);
}
