// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* No thread makes so many calls. */
#define GIVEN_UP UINT64_MAX

static _Thread_local struct watch *own;

/* Finds this thread in /proc. */
static void find_place(struct watch *watch)
{
	ssize_t len = readlink("/proc/thread-self", watch->place, sizeof(watch->place) - 1);

	watch->place[len > 0 ? len : 0] = '\0';
}

bool watch_run(struct watch *watch, void (*run)(void *context), void *context)
{
	if (setjmp(watch->begin) != 0) {
		own = NULL;
		return false;
	}
	own = watch;
	find_place(watch);
	atomic_store(&watch->tid, gettid());
	run(context);
	own = NULL;
	return true;
}

void watch_enter(void)
{
	if (own)
		atomic_fetch_add_explicit(&own->calls, 1, memory_order_release);
}

/* Both sides exchange the number that they have seen, so that only one of them succeeds. */
void watch_leave(void)
{
	uint64_t calls;

	if (!own)
		return;
	calls = atomic_load_explicit(&own->calls, memory_order_relaxed);
	if (calls == GIVEN_UP || !atomic_compare_exchange_strong(&own->calls, &calls, calls + 1))
		longjmp(own->begin, 1);
}

/* The clock of a thread by its number, as pthread_getcpuclockid() makes it: see clock_getres(2). */
static uint64_t cpu_ns(pid_t tid)
{
	enum { PER_THREAD = 4, SCHEDULED = 2, BITS = 3 };
	clockid_t clock = (clockid_t)((~(unsigned)tid << BITS) | PER_THREAD | SCHEDULED);

	return clock_now_ns(clock);
}

/* Reads a file of the thread in /proc. Returns the bytes, which are none if it has ended. */
static size_t read_own(const struct watch *watch, const char *file, char *ret, size_t size)
{
	char name[sizeof(watch->place) + 24];
	ssize_t len;
	int fd;

	snprintf(name, sizeof(name), "/proc/%s/%s", watch->place, file);
	fd = watch->place[0] != '\0' ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	len = fd < 0 ? 0 : read(fd, ret, size - 1);
	if (fd >= 0)
		close(fd);
	ret[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

/* A thread that could run, and has no CPU, is not asleep. */
static bool is_asleep(const struct watch *watch)
{
	char text[4096];
	const char *end;

	read_own(watch, "stat", text, sizeof(text));
	end = strrchr(text, ')');
	return end && (strncmp(end, ") S", 3) == 0 || strncmp(end, ") D", 3) == 0);
}

/* Returns for how long a thread that sleeps has run and waited for a CPU since it was born. Kernels without schedstat (built without
 * CONFIG_SCHED_INFO) give the time that it has run. */
static uint64_t awake_ns(const struct watch *watch)
{
	char text[128], *wait;
	uint64_t run;

	if (read_own(watch, "schedstat", text, sizeof(text)) == 0)
		return cpu_ns(atomic_load(&watch->tid));
	run = strtoull(text, &wait, 10);
	return run + strtoull(wait, NULL, 10);
}

uint64_t watch_asleep_ns(struct watch *watch, uint64_t now_ns)
{
	uint64_t calls = atomic_load_explicit(&watch->calls, memory_order_acquire), awake, since;
	uint64_t gap = now_ns > watch->looked_ns ? now_ns - watch->looked_ns : 0;
	bool is_new = calls != watch->seen_calls;

	watch->seen_calls = calls;
	/* Another caller may have looked since this one read the clock. */
	watch->looked_ns += gap;
	now_ns = watch->looked_ns;
	if (calls % 2 == 0 || calls == GIVEN_UP)
		return 0;
	if (is_new) {
		watch->since_ns = now_ns;
		watch->since_awake_ns = awake_ns(watch);
		return 0;
	}
	if (gap > WATCH_GAP_NS)
		watch->since_ns += gap - WATCH_GAP_NS;
	if (!is_asleep(watch))
		return 0;
	awake = awake_ns(watch) - watch->since_awake_ns;
	since = now_ns - watch->since_ns;
	return since > awake ? since - awake : 0;
}

bool watch_give_up(struct watch *watch)
{
	uint64_t calls = watch->seen_calls;

	return atomic_compare_exchange_strong(&watch->calls, &calls, GIVEN_UP);
}
