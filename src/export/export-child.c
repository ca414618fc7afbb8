// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/export-child.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/mem.h"
#include "base/signal-undo.h"

/* Libraries end a process with status 1. */
enum { STATUS_FAILED = 3 };

static bool is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

noreturn_ static void be_child(int (*work)(void *context), void *context,
                               const struct held_signals *held, pid_t parent)
{
	helper_end_with(parent);
	sigprocmask(SIG_SETMASK, &held->before, NULL);
	mem_set_status(STATUS_FAILED);
	_exit(work(context) == 0 ? 0 : STATUS_FAILED);
}

/* Waits until the child has ended. Returns the signal that ended it before, or 0. */
static int await(pid_t child, const struct held_signals *held, int *ret_status)
{
	int asked = 0, signal;

	while (waitpid(child, ret_status, WNOHANG) == 0) {
		signal = sigwaitinfo(&held->set, NULL);
		if (signal <= 0 || signal == SIGCHLD)
			continue;
		asked = signal;
		kill(child, SIGKILL);
	}
	return asked;
}

/* A blocked signal is kept although it is ignored, as nohup(1) has SIGHUP ignored. */
void export_child_hold_signals(struct held_signals *ret_held)
{
	sigset_t *set = &ret_held->set;

	sigprocmask(SIG_BLOCK, NULL, &ret_held->before);
	signal_set_ending(set);
	for (int signal = 1; signal <= SIGRTMAX; signal++)
		if (is_ignored(signal) || sigismember(&ret_held->before, signal) == 1)
			sigdelset(set, signal);
	sigaddset(set, SIGCHLD);
	sigprocmask(SIG_BLOCK, set, NULL);
}

int export_child_run(int (*work)(void *context), void *context, const struct held_signals *held,
                     int *ret_signal)
{
	pid_t parent = getpid(), child;
	int status = -1;

	*ret_signal = 0;
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0)
		be_child(work, context, held, parent);
	*ret_signal = await(child, held, &status);
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

void export_child_release(const struct held_signals *held)
{
	sigprocmask(SIG_SETMASK, &held->before, NULL);
}

void export_child_raise(const struct held_signals *held, int signal)
{
	if (signal > 0)
		raise(signal);
	export_child_release(held);
}
