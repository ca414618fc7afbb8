// SPDX-License-Identifier: GPL-2.0-or-later
/* Words that can be read but are no counter of the given thread give no number. */
#include "check.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernel-ability.h"
#include "probe-target.h"

/* A process of one thread with these counters, whose thread pointer is on the board. */
static pid_t start_with(uint64_t allocated, uint64_t deallocated)
{
	pid_t pid = fork_target();

	if (pid == 0) {
		counters[0] = allocated;
		counters[1] = deallocated;
		board->delivered = own_pointer();
		__atomic_fetch_add(&board->ready, 1, __ATOMIC_SEQ_CST);
		for (;;)
			(void)pause();
	}
	await_ready(1);
	return pid;
}

static enum probe_tag probe_at(uint64_t pointer)
{
	cleanup_(memory_prober_freep) struct memory_prober *prober = memory_prober_new();

	assert_int_equal(request.thread_count, 1);
	probed[0].has_pointer = true;
	probed[0].pointer = pointer;
	memory_prober_run(prober, &request);
	if (probed[0].tag != PROBE_TAG_ok)
		assert_int_equal(probed[0].allocated + probed[0].deallocated, 0);
	return probed[0].tag;
}

static void test_doubt_limits(void **state)
{
	static const struct {
		uint64_t allocated, deallocated;
		enum probe_tag tag;
	} cases[] = {
	        {0, 0, PROBE_TAG_ok},
	        {5, UINT64_C(1) << 56, PROBE_TAG_ok}, /* others allocated it */
	        {0, (UINT64_C(1) << 56) + 1, PROBE_TAG_implausible},
	        {(UINT64_C(1) << 60) - 1, 7, PROBE_TAG_ok},
	        {UINT64_C(1) << 60, 7, PROBE_TAG_implausible},
	        {UINT64_MAX, UINT64_MAX, PROBE_TAG_implausible},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pid_t pid = start_with(cases[i].allocated, cases[i].deallocated);

		prepare(pid);
		assert_int_equal(probe_at(board->delivered), cases[i].tag);
		end_target(pid);
	}
}

/* Memory that can be read, where no thread-local storage is. */
static void test_doubt_pointer(void **state)
{
	static volatile uint64_t words[8192];
	pid_t pid = start_with(100, 10);

	(void)state;
	prepare(pid);
	assert_int_equal(probe_at(board->delivered), PROBE_TAG_ok);
	assert_int_equal(probed[0].allocated, 100);
	prepare(pid);
#ifdef __x86_64__
	assert_int_equal(probe_at((uintptr_t)&words[ARRAY_SIZE(words) / 2]),
	                 PROBE_TAG_tls_arithmetic);
#else
	(void)words;
#endif
	end_target(pid);
}

static void test_doubt_program(void **state)
{
	pid_t pid = start_with(100, 10);

	(void)state;
	for (int field = 0; field < 3; field++) {
		uint64_t *fields[] = {&request.identity.start_time, &request.identity.start_code,
		                      &request.identity.start_stack};

		prepare(pid);
		(*fields[field])++;
		assert_int_equal(probe_at(board->delivered), PROBE_TAG_pid_missing);
	}
	end_target(pid);
}

/* The memory of a thread is another one's once the thread has exited. */
static void test_doubt_thread(void **state)
{
	pid_t pid = start_with(100, 10);

	(void)state;
	prepare(pid);
	probed[0].tid = (uint32_t)getpid();
	assert_int_equal(probe_at(board->delivered), PROBE_TAG_pid_missing);
	end_target(pid);
}

/* Nor is it a failure then that this makes no sense, or leads nowhere. */
static void test_doubt_thread_failure(void **state)
{
	static volatile uint64_t words[8192];
	pid_t pid = start_with(UINT64_MAX, UINT64_MAX);
	const struct {
		uint64_t pointer;
		enum probe_tag tag;
	} cases[] = {
	        {board->delivered, PROBE_TAG_implausible},
	        {UINT64_C(1) << 16, PROBE_TAG_tls_arithmetic}, /* nobody's memory */
#ifdef __x86_64__
	        {(uintptr_t)&words[ARRAY_SIZE(words) / 2], PROBE_TAG_tls_arithmetic},
#endif
	};

	(void)state;
	(void)words;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		prepare(pid);
		assert_int_equal(probe_at(cases[i].pointer), cases[i].tag);
		prepare(pid);
		probed[0].tid = (uint32_t)getpid();
		assert_int_equal(probe_at(cases[i].pointer), PROBE_TAG_pid_missing);
	}
	end_target(pid);
}

static uint64_t cpu_ns_of(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &used), 0);
	return (uint64_t)used.tv_sec * NS_PER_SECOND + (uint64_t)used.tv_nsec;
}

/* The target has to run beside the probes, which it does rarely on a busy machine: what counts is its CPU time. */
static void test_doubt_falling(void **state)
{
	uint64_t until_ns = clock_now_ns(CLOCK_MONOTONIC) + 100 * NS_PER_SECOND;
	pid_t pid = fork_target();
	bool found = false;

	(void)state;
	if (pid == 0) {
		board->delivered = own_pointer();
		__atomic_fetch_add(&board->ready, 1, __ATOMIC_SEQ_CST);
		for (uint64_t n = 0;; n++)
			counters[0] = n % 2 ? 1000000 : 10;
	}
	await_ready(1);
	while (!found && cpu_ns_of(pid) < 20 * NS_PER_SECOND &&
	       clock_now_ns(CLOCK_MONOTONIC) < until_ns) {
		prepare(pid);
		found = probe_at(board->delivered) == PROBE_TAG_implausible;
	}
	if (!found && cpu_ns_of(pid) < 20 * NS_PER_SECOND) {
		printf("skipped: the target has had %.3f s of a CPU in 100 s\n",
		       (double)cpu_ns_of(pid) / NS_PER_SECOND);
		end_target(pid);
		skip();
	}
	assert_true(found);
	end_target(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_doubt_limits),         cmocka_unit_test(test_doubt_pointer),
	        cmocka_unit_test(test_doubt_program),        cmocka_unit_test(test_doubt_thread),
	        cmocka_unit_test(test_doubt_thread_failure), cmocka_unit_test(test_doubt_falling),
	};

	if (!has_ptrace()) {
		puts("skipped: there is no ptrace here");
		return 77;
	}
	make_board();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
