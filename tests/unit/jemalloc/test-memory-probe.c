// SPDX-License-Identifier: GPL-2.0-or-later
/* Real processes, made by the test, with counters of their own at known places. */
#include "check.h"

#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bpf/thread-pointer.h"
#include "jemalloc/memory-probe.h"
#include "kernel-ability.h"
#include "probe-target.h"

enum { NOBODY = 65534 };

static void test_probe_values_are_exact(void **state)
{
	pid_t pid = start_target(THREADS, be_thread);
	struct memory_probe_cost cost = probe(pid);

	(void)state;
	assert_int_equal(request.thread_count, THREADS);
	/* On a host that is very busy the one that runs may get no CPU to stop on. */
	assert_true(count_tags(PROBE_TAG_ok) >= THREADS - 1);
	assert_int_equal(count_tags(PROBE_TAG_ok) + count_tags(PROBE_TAG_waitpid), THREADS);
	check_values();
	assert_int_equal(cost.stops, count_tags(PROBE_TAG_ok));
	assert_true(cost.longest_stop_ns > 0 && cost.longest_stop_ns <= cost.total_stop_ns);
	assert_false(is_anybody_stopped(pid));
	end_target(pid);
}

static void test_probe_by_pointers_stops_nobody(void **state)
{
	cleanup_(thread_pointers_freep) struct thread_pointers *pointers = NULL;
	cleanup_(memory_prober_freep) struct memory_prober *prober = memory_prober_new();
	const struct thread_pointer *found;
	pid_t pid;

	(void)state;
	if (thread_pointers_open(&pointers) < 0)
		skip();
	pid = start_target(THREADS, be_thread);
	prepare(pid);
	assert_int_equal(thread_pointers_read(pointers, (uint32_t)pid, &found), THREADS);
	for (size_t i = 0; i < THREADS; i++)
		probed[i] = (struct memory_probe_thread){
		        .tid = found[i].tid, .has_pointer = true, .pointer = found[i].pointer};
	memory_prober_run(prober, &request);
	assert_int_equal(count_tags(PROBE_TAG_ok), THREADS);
	check_values();
	assert_int_equal(memory_prober_cost(prober)->stops, 0);
	end_target(pid);
	assert_int_equal(thread_pointers_read(pointers, (uint32_t)pid, &found), 0);
}

/* On a busy host some do not stop in time, and a helper that is given up may still trace the last one. */
static void test_probe_busy_threads(void **state)
{
	pid_t pid = start_target(100, spin);

	(void)state;
	(void)probe(pid);
	check_values();
	assert_int_equal(count_tags(PROBE_TAG_ok) + count_tags(PROBE_TAG_waitpid) +
	                         count_tags(PROBE_TAG_traced),
	                 100);
	assert_true(count_tags(PROBE_TAG_ok) > 0);
	assert_false(is_anybody_stopped(pid));
	end_target(pid);
}

static void test_probe_leaves_the_stopped_alone(void **state)
{
	pid_t pid = start_target(4, be_thread);
	struct memory_probe_cost cost;

	(void)state;
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	sleep_ms(20);
	cost = probe(pid);
	assert_int_equal(count_tags(PROBE_TAG_stopped), 4);
	assert_int_equal(cost.stops, 0);
	assert_int_equal(state_of(pid, (uint32_t)pid), 'T');
	end_target(pid);
}

static void test_probe_leaves_the_traced_alone(void **state)
{
	pid_t pid = start_target(4, be_thread);

	(void)state;
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	probe_all(pid, 3);
	assert_int_equal(count_tags(PROBE_TAG_traced), 1);
	assert_int_equal(count_tags(PROBE_TAG_ok), 3);
	end_target(pid);
}

static void test_probe_zombie_leader(void **state)
{
	pid_t pid = fork_target();

	(void)state;
	if (pid == 0) {
		start_threads(be_thread, 0, 4);
		syscall(SYS_exit, 0);
	}
	await_ready(4);
	probe_all(pid, 4);
	assert_int_equal(count_tags(PROBE_TAG_zombie), 1);
	assert_int_equal(count_tags(PROBE_TAG_ok), 4);
	check_values();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_probe_of_another_user(void **state)
{
	pid_t target, prober;
	int status;

	(void)state;
	if (geteuid() != 0)
		skip();
	target = start_target(4, be_thread);
	prober = fork();
	if (prober == 0) {
		struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
		struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {
		        {.permitted = 1 << CAP_DAC_READ_SEARCH,
		         .effective = 1 << CAP_DAC_READ_SEARCH}};
		struct memory_probe_cost cost;

		/* The other user has to find the helper's program, wherever the build directory is. */
		if (setresgid(NOBODY, NOBODY, NOBODY) < 0 || prctl(PR_SET_KEEPCAPS, 1) < 0 ||
		    setresuid(NOBODY, NOBODY, NOBODY) < 0 || syscall(SYS_capset, &header, sets) < 0)
			_exit(2);
		cost = probe(target);
		_exit(cost.stops == 0 && request.thread_count == 4 &&
		                      count_tags(PROBE_TAG_ptrace_seize) == 4
		              ? 0
		              : 1);
	}
	assert_int_equal(waitpid(prober, &status, 0), prober);
	assert_int_equal(status, 0);
	end_target(target);
}

static void test_probe_garbage(void **state)
{
	cleanup_(memory_prober_freep) struct memory_prober *prober = memory_prober_new();
	pid_t pid = start_idle_target(8);
	static const uint64_t pointers[] = {1,    UINT64_MAX, UINT64_MAX - 7,
	                                    4096, INT64_MAX,  1 << 20};

	(void)state;
	prepare(pid);
	for (size_t i = 0; i < ARRAY_SIZE(pointers); i++) {
		probed[i].has_pointer = true;
		probed[i].pointer = pointers[i];
	}
	memory_prober_run(prober, &request);
	assert_int_equal(count_tags(PROBE_TAG_tls_arithmetic), ARRAY_SIZE(pointers));
	assert_int_equal(count_tags(PROBE_TAG_ok), 2);
	check_values();
	prepare(pid);
	request.places[0].slot = 8;
	memory_prober_run(prober, &request);
	assert_int_equal(count_tags(PROBE_TAG_tls_arithmetic), 8);
	prepare(pid);
	request.places[0].allocated = 0; /* an address */
	request.places[0].deallocated = INT64_MIN;
	memory_prober_run(prober, &request);
	assert_int_equal(count_tags(PROBE_TAG_tls_arithmetic), 8);
	end_target(pid);
	memory_prober_run(prober, &request);
	prepare(pid);
	assert_int_equal(request.thread_count, 0);
}

static void test_probe_parent_of_vfork(void **state)
{
	pid_t pid = fork_target();

	(void)state;
	if (pid == 0) {
		start_threads(be_thread, 0, 3);
		while (board->ready < 3)
			sleep_ms(1);
		if (vfork() == 0) {
			__atomic_fetch_add(&board->ready, 1, __ATOMIC_SEQ_CST);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				(void)pause();
		}
		_exit(0);
	}
	await_ready(4);
	probe_all(pid, 3);
	assert_int_equal(count_tags(PROBE_TAG_uninterruptible), 1);
	assert_int_equal(count_tags(PROBE_TAG_ok), 3);
	check_values();
	end_target(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_probe_values_are_exact),
	        cmocka_unit_test(test_probe_by_pointers_stops_nobody),
	        cmocka_unit_test(test_probe_busy_threads),
	        cmocka_unit_test(test_probe_leaves_the_stopped_alone),
	        cmocka_unit_test(test_probe_leaves_the_traced_alone),
	        cmocka_unit_test(test_probe_zombie_leader),
	        cmocka_unit_test(test_probe_of_another_user),
	        cmocka_unit_test(test_probe_garbage),
	        cmocka_unit_test(test_probe_parent_of_vfork),
	};

	if (!has_ptrace()) {
		puts("skipped: there is no ptrace here");
		return 77;
	}
	make_board();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
