// SPDX-License-Identifier: GPL-2.0-or-later
#include "recorder/record-wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/signal-rest.h"

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

	*wait = (struct record_wait){.signal_fd = -1};
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
	if (*ret_event == RECORD_STOP) {
		signal_take_rest(wait->signal_fd);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	return true;
}

static void note_pressures(struct record_wait *wait, uint64_t now_ns)
{
	for (unsigned i = 0; i < wait->trigger_count; i++)
		if (wait->triggers[i].kind == TRIGGER_PSI && wait->triggers[i].fd >= 0)
			trigger_note_pressure(&wait->triggers[i], now_ns);
}

/* Notes the triggers that fired, or are gone. */
static void judge(struct record_wait *wait, const struct pollfd *polled, bool with_load)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	for (unsigned i = 0; i < wait->trigger_count; i++) {
		struct trigger *trigger = &wait->triggers[i];
		enum trigger_state state = TRIGGER_QUIET;

		if (trigger->kind == TRIGGER_PSI && trigger->fd >= 0)
			state = trigger_judge_events(trigger, polled[i].revents, now_ns);
		else if (trigger->kind == TRIGGER_LOAD && with_load)
			state = trigger_judge_load(trigger);
		if (state == TRIGGER_FIRED)
			wait->fired |= 1U << i;
		else if (state == TRIGGER_GONE)
			wait->gone |= 1U << i;
	}
}

/* A descriptor below 0 is left out by poll(2); so is that of a load, which is read. */
static bool set_polled(const struct record_wait *wait, struct pollfd *polled)
{
	bool has_load = false;

	polled[0] = (struct pollfd){.fd = wait->signal_fd, .events = POLLIN};
	for (unsigned i = 0; i < wait->trigger_count; i++) {
		const struct trigger *trigger = &wait->triggers[i];
		bool is_load = trigger->kind == TRIGGER_LOAD;

		has_load = has_load || is_load;
		polled[i + 1] =
		        (struct pollfd){.fd = is_load ? -1 : trigger->fd, .events = POLLPRI};
	}
	return has_load;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_SECOND),
	                         .tv_nsec = (long)(ns % NS_PER_SECOND)};
}

int record_wait_next(struct record_wait *wait, uint64_t until_ns, bool for_triggers,
                     enum record_event *ret_event)
{
	struct pollfd polled[RECORD_TRIGGERS_MAX + 1];

	note_pressures(wait, clock_now_ns(CLOCK_MONOTONIC));
	for (;;) {
		bool has_load = set_polled(wait, polled), is_over;
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
		uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
		struct timespec timeout;
		int r;

		/* The kernel computes the load every five seconds. */
		is_over = !has_load || left_ns <= NS_PER_SECOND;
		timeout = timespec_of(is_over ? left_ns : NS_PER_SECOND);
		r = ppoll(polled, wait->trigger_count + 1, &timeout, NULL);
		if (r < 0 && errno != EINTR)
			return -errno;
		if (r < 0)
			continue;
		judge(wait, polled + 1, r == 0);
		if (polled[0].revents != 0 && read_signal(wait, ret_event))
			return 0;
		if (for_triggers && wait->fired != 0) {
			*ret_event = RECORD_FIRED;
			return 0;
		}
		if (r == 0 && is_over) {
			*ret_event = RECORD_TIME;
			return 0;
		}
	}
}

void record_wait_done(struct record_wait *wait)
{
	fd_closep(&wait->signal_fd);
}
