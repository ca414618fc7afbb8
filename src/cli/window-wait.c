// SPDX-License-Identifier: GPL-2.0-or-later
#include "window-wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>

#include "base/boot-clock.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/signal-rest.h"
#include "base/signal-undo.h"
#include "ctprof/base/macro.h"

static sigset_t interrupts(void)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* A terminal may be lost. One that is ignored, as under nohup(1), would be delivered if it were blocked. */
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && signal_undo_is_default(&hangup))
		sigaddset(&set, SIGHUP);
	return set;
}

/* Lets the next interrupt end the program, as it would without us. */
static void let_go(struct window_wait *wait)
{
	sigset_t set = interrupts();

	fd_closep(&wait->signal_fd);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static const int interrupt_numbers[] = {SIGINT, SIGTERM, SIGHUP};

/* The next interrupt ends the program, whichever it is. */
static void forgive(int number)
{
	(void)number;
	for (size_t i = 0; i < ARRAY_SIZE(interrupt_numbers); i++) {
		struct sigaction now;

		if (sigaction(interrupt_numbers[i], NULL, &now) == 0 && now.sa_handler == forgive)
			signal_undo_set_default(interrupt_numbers[i]);
	}
}

/* Lets the second interrupt from here on end the program. The first one may have been meant to end the window, which is over, and must not
 * cost it. */
static void let_second_go(struct window_wait *wait)
{
	struct sigaction once = {.sa_handler = forgive, .sa_flags = SA_RESTART};
	sigset_t set = interrupts();

	for (size_t i = 0; i < ARRAY_SIZE(interrupt_numbers); i++) {
		const int number = interrupt_numbers[i];
		struct sigaction before;

		/* One that is ignored, as in the background of a script, stays so. */
		if (sigismember(&set, number) == 1 && sigaction(number, NULL, &before) == 0 &&
		    signal_undo_is_default(&before))
			(void)sigaction(number, &once, NULL);
	}
	fd_closep(&wait->signal_fd);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void show(uint64_t passed_ns, uint64_t length_ns)
{
	fprintf(stderr, "\rwindow: %llus of %llus", (unsigned long long)(passed_ns / NS_PER_SECOND),
	        (unsigned long long)((length_ns + NS_PER_SECOND - 1) / NS_PER_SECOND));
	fflush(stderr);
}

/* Waits for a second, or for less where that is enough. Returns whether there was an interrupt, or -errno. */
static int wait_a_little(struct window_wait *wait, uint64_t left_ns)
{
	struct timespec timeout = {.tv_sec = 1};
	struct pollfd interrupt = {.fd = wait->signal_fd, .events = POLLIN};
	struct signalfd_siginfo which;
	int r;

	if (left_ns < NS_PER_SECOND)
		timeout = (struct timespec){.tv_nsec = (long)left_ns};
	r = ppoll(&interrupt, 1, &timeout, NULL);
	if (r < 0)
		return errno == EINTR ? 0 : -errno;
	/* It is taken out of the queue, or the signal would strike as soon as it is let through. */
	if (r == 0 || read(wait->signal_fd, &which, sizeof(which)) != (ssize_t)sizeof(which))
		return 0;
	signal_take_rest(wait->signal_fd);
	return 1;
}

static int until(struct capture_wait *self, uint64_t begin_ns, uint64_t end_ns)
{
	struct window_wait *wait = (struct window_wait *)self;
	uint64_t now;
	int r = 0;

	while (r == 0 && (now = boot_clock_now_ns()) < end_ns) {
		if (wait->progress)
			show(now - begin_ns, end_ns - begin_ns);
		r = wait_a_little(wait, end_ns - now);
	}
	if (wait->progress)
		fputs("\r\033[K", stderr);
	if (r > 0)
		let_go(wait);
	else if (r == 0)
		let_second_go(wait);
	return r < 0 ? r : 0;
}

int window_wait_init(struct window_wait *wait, bool progress)
{
	sigset_t set = interrupts();

	*wait = (struct window_wait){.base = {until}, .progress = progress, .signal_fd = -1};
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	wait->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return wait->signal_fd < 0 ? -errno : 0;
}

void window_wait_done(struct window_wait *wait)
{
	fd_closep(&wait->signal_fd);
}
