// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-signals.h"

#include <errno.h>
#include <unistd.h>

#include "base/fd.h"

/* Those that ctprof needs in another way than its parent has set them. */
static const int changed[JOB_SIGNALS_CHANGED] = {SIGPIPE, SIGCHLD, SIGXFSZ};

static sigset_t waiting_signals(void)
{
	static const int numbers[] = {SIGHUP,  SIGINT,   SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
	                              SIGALRM, SIGWINCH, SIGIO,   SIGPWR,  SIGCHLD};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaddset(&set, numbers[i]);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		sigaddset(&set, number);
	return set;
}

int job_inherited_save(struct job_inherited *inherited)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN}, normal = {.sa_handler = SIG_DFL};

	if (sigprocmask(SIG_SETMASK, NULL, &inherited->mask) < 0)
		return -errno;
	for (unsigned i = 0; i < JOB_SIGNALS_CHANGED; i++)
		if (sigaction(changed[i], changed[i] == SIGCHLD ? &normal : &ignore,
		              &inherited->actions[i]) < 0)
			return -errno;
	return 0;
}

void job_inherited_restore(const struct job_inherited *inherited)
{
	for (unsigned i = 0; i < JOB_SIGNALS_CHANGED; i++)
		(void)sigaction(changed[i], &inherited->actions[i], NULL);
	(void)sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
}

int job_signals_init(struct job_signals *signals)
{
	const sigset_t set = waiting_signals();

	*signals = JOB_SIGNALS_INIT;
	if (sigprocmask(SIG_BLOCK, &set, &signals->before) < 0)
		return -errno;
	signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return signals->fd < 0 ? -errno : 0;
}

void job_signals_done(struct job_signals *signals)
{
	struct signalfd_siginfo signal;

	if (signals->fd < 0)
		return;
	while (job_signals_next(signals, &signal))
		;
	fd_closep(&signals->fd);
	(void)sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

bool job_signals_next(const struct job_signals *signals, struct signalfd_siginfo *ret)
{
	return read(signals->fd, ret, sizeof(*ret)) == (ssize_t)sizeof(*ret);
}

bool job_signal_is_sent(const struct signalfd_siginfo *signal)
{
	return signal->ssi_code == SI_USER || signal->ssi_code == SI_QUEUE ||
	       signal->ssi_code == SI_TKILL;
}
