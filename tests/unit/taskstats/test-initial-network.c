// SPDX-License-Identifier: GPL-2.0-or-later
#include "taskstats/initial-network.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

struct place {
	pthread_t thread;
	ino_t network;
};

static ino_t network_of(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? status.st_ino : 0;
}

static int look(void *context)
{
	struct place *place = context;

	*place = (struct place){pthread_self(), network_of("/proc/thread-self/ns/net")};
	return -EXDEV;
}

static void test_here(void **state)
{
	struct place place = {0};
	ino_t first = network_of("/proc/1/ns/net"), own = network_of("/proc/self/ns/net");
	bool is_known;

	(void)state;
	if (first != 0 && first != own)
		skip();
	assert_int_equal(initial_network_call(look, &place, &is_known), -EXDEV);
	assert_int_equal(is_known, first != 0);
	assert_true(pthread_equal(place.thread, pthread_self()));
	assert_int_equal(place.network, own);
}

/* In another network namespace the work is done in that of process 1, by another thread. This one stays. */
static int try_elsewhere(ino_t first)
{
	struct place place = {0};
	ino_t own;
	bool is_known;
	int r;

	if (unshare(CLONE_NEWNET) < 0)
		return 77;
	own = network_of("/proc/self/ns/net");
	r = initial_network_call(look, &place, &is_known);
	if (first == 0)
		return is_known || place.network != own;
	return !is_known || r != -EXDEV || place.network != first ||
	       pthread_equal(place.thread, pthread_self()) ||
	       network_of("/proc/thread-self/ns/net") != own;
}

static void test_elsewhere(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	assert_true(child >= 0);
	if (child == 0)
		_exit(try_elsewhere(network_of("/proc/1/ns/net")));
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_here),
	        cmocka_unit_test(test_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
