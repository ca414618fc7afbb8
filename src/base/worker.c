// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/worker.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"

bool worker_start(pthread_t *ret_thread, void *(*run)(void *), void *context, const char *name)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return false;
	error = pthread_create(ret_thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error == 0 && name)
		pthread_setname_np(*ret_thread, name);
	return error == 0;
}

/* ThreadSanitizer would confuse descriptors of two tables. */
static bool may_have_own(void)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
	return false;
#endif
#elif defined(__SANITIZE_THREAD__)
	return false;
#endif
	return true;
}

void worker_own_descriptors(void)
{
	if (may_have_own())
		(void)unshare(CLONE_FILES);
}

void worker_keep_descriptor(int fd)
{
	if (!may_have_own() || unshare(CLONE_FILES) < 0)
		return;
	if (fd > 0)
		(void)close_range(0, (unsigned)fd - 1, 0);
	(void)close_range((unsigned)fd + 1, ~0U, 0);
}

void worker_cond_init(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}

void worker_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t until_ns)
{
	const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_SECOND),
	                               .tv_nsec = (long)(until_ns % NS_PER_SECOND)};

	pthread_cond_timedwait(condition, lock, &until);
}
