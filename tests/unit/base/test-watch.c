// SPDX-License-Identifier: GPL-2.0-or-later
/* A thread that sleeps in a call is found and given up; one that works, waits for a CPU, or comes back in time is not. */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/watch.h"

struct watched {
	struct watch watch; /* zeroed */
	int pipe[2];
	atomic_bool works; /* uses the CPU in its call, until it is told to end */
	atomic_bool wakes; /* every 2 ms, as one that gets a lock for a moment, and sleeps again */
	atomic_bool came_back; /* from its call */
	atomic_bool given_up;  /* as it was told */
};

static void call(void *context)
{
	struct watched *watched = context;
	char byte;

	watch_enter();
	while (watched->works)
		;
	while (watched->wakes)
		usleep(2000);
	if (read(watched->pipe[0], &byte, 1) != 1)
		return;
	watch_leave();
	watched->came_back = true;
}

/* Calls of a thread that has left its run are not watched. */
static void *run(void *context)
{
	struct watched *watched = context;

	watched->given_up = !watch_run(&watched->watch, call, watched);
	watch_enter();
	watch_leave();
	return NULL;
}

static pthread_t begin(struct watched *watched, bool works, bool wakes)
{
	pthread_t thread;

	*watched = (struct watched){.works = works, .wakes = wakes};
	assert_int_equal(pipe(watched->pipe), 0);
	assert_int_equal(pthread_create(&thread, NULL, run, watched), 0);
	while (atomic_load(&watched->watch.calls) == 0)
		usleep(100);
	return thread;
}

/* Watches for @ns, or until the thread has slept for @least_ns, and returns for how long it slept. A busy machine may run the thread
 * late. */
static uint64_t watch_for(struct watch *watch, uint64_t ns, uint64_t least_ns)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC), now_ns = begin_ns, asleep_ns = 0;

	while (now_ns - begin_ns < ns && asleep_ns < least_ns) {
		usleep(1000);
		now_ns = clock_now_ns(CLOCK_MONOTONIC);
		asleep_ns = watch_asleep_ns(watch, now_ns);
	}
	assert_true(asleep_ns <= now_ns - begin_ns);
	return asleep_ns;
}

static void wake(struct watched *watched)
{
	assert_int_equal(write(watched->pipe[1], "", 1), 1);
}

static void test_sleeps(void **state)
{
	struct watched watched;
	pthread_t thread = begin(&watched, false, false);

	(void)state;
	assert_true(watch_for(&watched.watch, 10 * NS_PER_SECOND, NS_PER_MS) > 0);
	assert_true(watch_give_up(&watched.watch));
	assert_int_equal(watch_asleep_ns(&watched.watch, clock_now_ns(CLOCK_MONOTONIC)), 0);
	wake(&watched);
	pthread_join(thread, NULL);
	assert_false(watched.came_back);
	assert_true(watched.given_up);
}

/* The time in which nobody looked does not count. */
static void test_caller_held_up(void **state)
{
	struct watched watched;
	pthread_t thread = begin(&watched, false, false);
	uint64_t now_ns;

	(void)state;
	assert_true(watch_for(&watched.watch, 10 * NS_PER_SECOND, NS_PER_MS) > 0);
	now_ns = clock_now_ns(CLOCK_MONOTONIC) + 3600 * NS_PER_SECOND;
	assert_in_range(watch_asleep_ns(&watched.watch, now_ns), 1, NS_PER_SECOND);
	assert_in_range(watch_asleep_ns(&watched.watch, now_ns + WATCH_GAP_NS), WATCH_GAP_NS + 1,
	                NS_PER_SECOND + WATCH_GAP_NS);
	wake(&watched);
	pthread_join(thread, NULL);
}

/* One of two callers may come with an earlier time than the other had. */
static void test_earlier_time(void **state)
{
	struct watched watched;
	pthread_t thread = begin(&watched, false, false);
	uint64_t now_ns;

	(void)state;
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	assert_int_equal(watch_asleep_ns(&watched.watch, now_ns), 0);
	assert_in_range(watch_asleep_ns(&watched.watch, now_ns - 5 * NS_PER_MS), 0, NS_PER_MS);
	wake(&watched);
	pthread_join(thread, NULL);
}

static void test_comes_back(void **state)
{
	struct watched watched;
	pthread_t thread = begin(&watched, false, false);

	(void)state;
	assert_true(watch_for(&watched.watch, 10 * NS_PER_SECOND, NS_PER_MS) > 0);
	wake(&watched);
	pthread_join(thread, NULL);
	assert_false(watch_give_up(&watched.watch));
	assert_true(watched.came_back);
	assert_false(watched.given_up);
	assert_int_equal(watch_asleep_ns(&watched.watch, clock_now_ns(CLOCK_MONOTONIC)), 0);
}

static void test_works(void **state)
{
	struct watched watched;
	pthread_t thread = begin(&watched, true, false);

	(void)state;
	assert_int_equal(watch_for(&watched.watch, 30 * NS_PER_MS, NS_PER_MS), 0);
	watched.works = false;
	wake(&watched);
	pthread_join(thread, NULL);
}

static void test_sleeps_with_breaks(void **state)
{
	static struct watched watched;

	(void)state;
	begin(&watched, false, true);
	assert_true(watch_for(&watched.watch, 10 * NS_PER_SECOND, 50 * NS_PER_MS) >=
	            50 * NS_PER_MS);
	assert_true(watch_give_up(&watched.watch));
	watched.wakes = false;
}

enum { FOUND, NOT_FOUND, NO_NAMESPACE };

/* Runs it in a child. Returns what it returns there. */
static int status_of(int (*begin_child)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(begin_child());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int find_sleeper(void)
{
	struct watched watched;

	begin(&watched, false, false);
	return watch_for(&watched.watch, 10 * NS_PER_SECOND, NS_PER_MS) > 0 ? FOUND : NOT_FOUND;
}

/* The children of this process are in another namespace from then on. */
static int find_in_namespace(void)
{
	return unshare(CLONE_NEWPID) < 0 ? NO_NAMESPACE : status_of(find_sleeper);
}

/* A process in a pid namespace of its own has other ids there than in /proc, which is that of the namespace around. */
static void test_in_another_namespace(void **state)
{
	int status = status_of(find_in_namespace);

	(void)state;
	if (status == NO_NAMESPACE)
		skip();
	assert_int_equal(status, FOUND);
}

static void test_not_watched(void **state)
{
	(void)state;
	watch_enter();
	watch_leave();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_sleeps),         cmocka_unit_test(test_comes_back),
	        cmocka_unit_test(test_works),          cmocka_unit_test(test_sleeps_with_breaks),
	        cmocka_unit_test(test_caller_held_up), cmocka_unit_test(test_earlier_time),
	        cmocka_unit_test(test_not_watched),    cmocka_unit_test(test_in_another_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
