// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/signal-undo.h"

#include <stddef.h>
#include <unistd.h>

#include "ctprof/base/macro.h"

/* The handler reads these. They change only while all signals are blocked. */
static struct signal_undo *first;
static pid_t owner;

/* The process id of the first process of a PID namespace. */
enum { INIT = 1 };

void signal_set_ending(sigset_t *ret)
{
	static const int others[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN,  SIGTTOU,
	                             SIGCONT, SIGCHLD, SIGURG,  SIGWINCH, SIGSEGV,
	                             SIGBUS,  SIGILL,  SIGFPE,  SIGTRAP,  SIGABRT};

	sigemptyset(ret);
	if (getpid() == INIT)
		return;
	sigfillset(ret);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		sigdelset(ret, others[i]);
}

static void end(int signal)
{
	if (getpid() == owner)
		for (const struct signal_undo *undo = first; undo; undo = undo->next)
			(void)unlinkat(undo->dir_fd, undo->name, undo->flags);
	/* It is blocked until the handler returns, and ends the program then. */
	(void)sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	(void)raise(signal);
}

bool signal_undo_is_default(const struct sigaction *action)
{
	return action->sa_handler == SIG_DFL || action->sa_handler == end;
}

void signal_undo_set_default(int signal)
{
	struct sigaction action = {.sa_handler = first && getpid() != INIT ? end : SIG_DFL,
	                           .sa_flags = SA_RESTART};

	sigfillset(&action.sa_mask);
	(void)sigaction(signal, &action, NULL);
}

/* Has the signals that end the program end it in the way that the names need. */
static void set_all(void)
{
	sigset_t ending;

	signal_set_ending(&ending);
	for (int signal = 1; signal <= SIGRTMAX; signal++) {
		struct sigaction action;

		if (sigismember(&ending, signal) == 1 && sigaction(signal, NULL, &action) == 0 &&
		    signal_undo_is_default(&action))
			signal_undo_set_default(signal);
	}
}

void signal_undo_push(struct signal_undo *undo)
{
	sigset_t all, before;

	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	/* The names of a parent process are none of ours. */
	undo->next = owner == getpid() ? first : NULL;
	first = undo;
	owner = getpid();
	if (!undo->next)
		set_all();
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void signal_undo_pop(struct signal_undo *undo)
{
	sigset_t all, before;
	struct signal_undo **place = &first;

	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	while (*place && *place != undo)
		place = &(*place)->next;
	if (*place)
		*place = undo->next;
	if (!first)
		set_all();
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}
