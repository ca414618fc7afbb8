// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* No thread makes so many calls. */
#define GIVEN_UP UINT64_MAX

static _Thread_local struct watch *own;

void watch_begin(struct watch *watch)
{
	own = watch;
	if (watch)
		atomic_store(&watch->tid, gettid());
}

void watch_enter(void)
{
	if (own)
		atomic_fetch_add_explicit(&own->calls, 1, memory_order_release);
}

static void stay_forever(void)
{
	for (;;)
		pause();
}

/* Both sides exchange the number that they have seen, so that only one of them succeeds. */
void watch_leave(void)
{
	uint64_t calls;

	if (!own)
		return;
	calls = atomic_load_explicit(&own->calls, memory_order_relaxed);
	if (calls == GIVEN_UP || !atomic_compare_exchange_strong(&own->calls, &calls, calls + 1))
		stay_forever();
}

/* The clock of a thread by its number, as pthread_getcpuclockid() makes it: see clock_getres(2). */
static uint64_t cpu_ns(pid_t tid)
{
	enum { PER_THREAD = 4, SCHEDULED = 2, BITS = 3 };
	clockid_t clock = (clockid_t)((~(unsigned)tid << BITS) | PER_THREAD | SCHEDULED);

	return clock_now_ns(clock);
}

/* A thread that could run, and has no CPU, is not asleep. */
static bool is_asleep(pid_t tid)
{
	enum { STAT_BYTES = 4096 };
	char name[48], text[STAT_BYTES];
	const char *end;
	ssize_t len;
	int fd;

	snprintf(name, sizeof(name), "/proc/self/task/%d/stat", tid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	end = strrchr(text, ')');
	return end && (strncmp(end, ") S", 3) == 0 || strncmp(end, ") D", 3) == 0);
}

uint64_t watch_asleep_ns(struct watch *watch, uint64_t now_ns)
{
	uint64_t calls = atomic_load_explicit(&watch->calls, memory_order_acquire), used;

	if (calls % 2 == 0 || calls == GIVEN_UP) {
		watch->seen_calls = calls;
		return 0;
	}
	used = cpu_ns(atomic_load(&watch->tid));
	if (calls == watch->seen_calls && used == watch->seen_cpu_ns &&
	    is_asleep(atomic_load(&watch->tid)))
		return now_ns - watch->since_ns;
	watch->seen_calls = calls;
	watch->seen_cpu_ns = used;
	watch->since_ns = now_ns;
	return 0;
}

bool watch_give_up(struct watch *watch)
{
	uint64_t calls = watch->seen_calls;

	return atomic_compare_exchange_strong(&watch->calls, &calls, GIVEN_UP);
}
