// SPDX-License-Identifier: GPL-2.0-or-later
#include "record-wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

static sigset_t signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

int record_wait_init(struct record_wait *wait)
{
	sigset_t set = signals();

	wait->signal_fd = -1;
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	wait->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return wait->signal_fd < 0 ? -errno : 0;
}

/* Returns whether there was a signal. */
static bool read_signal(struct record_wait *wait, enum record_event *ret_event)
{
	struct signalfd_siginfo which;
	sigset_t set = signals();

	if (read(wait->signal_fd, &which, sizeof(which)) != (ssize_t)sizeof(which))
		return false;
	*ret_event = which.ssi_signo == SIGHUP ? RECORD_HUP : RECORD_STOP;
	if (*ret_event == RECORD_STOP)
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	return true;
}

int record_wait_next(struct record_wait *wait, uint64_t until_ns, enum record_event *ret_event)
{
	struct pollfd signalled = {.fd = wait->signal_fd, .events = POLLIN};

	for (;;) {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
		uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
		struct timespec timeout = {.tv_sec = (time_t)(left_ns / NS_PER_SECOND),
		                           .tv_nsec = (long)(left_ns % NS_PER_SECOND)};
		int r = ppoll(&signalled, 1, &timeout, NULL);

		if (r < 0 && errno != EINTR)
			return -errno;
		if (r > 0 && read_signal(wait, ret_event))
			return 0;
		if (r == 0) {
			*ret_event = RECORD_TIME;
			return 0;
		}
	}
}

void record_wait_done(struct record_wait *wait)
{
	fd_closep(&wait->signal_fd);
}
