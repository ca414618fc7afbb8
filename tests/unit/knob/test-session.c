// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "knob/session.h"

/* Starts a session of a leader and a child of it, which waits. The leader waits as well, or ends. Returns the leader's id. */
static pid_t start(bool leader_ends)
{
	int ready[2];
	pid_t leader;
	char byte;

	assert_int_equal(pipe(ready), 0);
	leader = fork();
	assert_true(leader >= 0);
	if (leader == 0) {
		pid_t child;

		(void)setsid();
		child = fork();
		if (child == 0)
			(void)!write(ready[1], "c", 1);
		if (child == 0 || !leader_ends)
			for (;;)
				(void)pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return leader;
}

/* Waits until so many processes of the session are left. */
static bool becomes(pid_t session, uint64_t ticks, int count)
{
	for (int i = 0; i < 1000; i++) {
		if (session_signal(session, ticks, 0) == count)
			return true;
		(void)poll(NULL, 0, 5);
	}
	return false;
}

/* Every process counts but a zombie, and gets the signal. */
static void test_members(void **state)
{
	(void)state;
	for (int leader_ends = 0; leader_ends < 2; leader_ends++) {
		pid_t leader = start(leader_ends);
		uint64_t ticks;

		assert_int_equal(session_start_ticks(leader, &ticks), 0);
		assert_true(ticks > 0);
		assert_true(becomes(leader, ticks, leader_ends ? 1 : 2));
		/* Another leader had the id. */
		assert_int_equal(session_signal(leader, ticks - 1, SIGKILL), 0);
		assert_int_equal(session_signal(leader, ticks, SIGKILL), leader_ends ? 1 : 2);
		assert_true(becomes(leader, ticks, 0));
		assert_int_equal(waitpid(leader, NULL, 0), leader);
		assert_true(becomes(leader, ticks, 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_members)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
