// SPDX-License-Identifier: GPL-2.0-or-later
/* Whatever happens in the middle, nobody stays stopped and no signal is lost. */
#include "check.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jemalloc/memory-probe.h"
#include "kernel-ability.h"
#include "probe-target.h"
#include "random.h"

static void count_signal(int signal)
{
	(void)signal;
	__atomic_fetch_add(&board->delivered, 1, __ATOMIC_SEQ_CST);
}

static void test_probe_loses_no_signal(void **state)
{
	cleanup_(memory_prober_freep) struct memory_prober *prober = memory_prober_new();
	const union sigval value = {.sival_int = 1};
	uint64_t sent = 0;
	pid_t pid = fork_target(), sender;
	int status;

	(void)state;
	if (pid == 0) {
		struct sigaction action = {.sa_handler = count_signal};

		sigaction(SIGRTMIN, &action, NULL);
		start_threads(be_thread, 1, 8);
		(void)be_thread(NULL);
	}
	await_ready(8);
	sender = fork();
	if (sender == 0) {
		for (; sent < 2000; sent++)
			while (sigqueue(pid, SIGRTMIN, value) < 0)
				sleep_ms(1);
		_exit(0);
	}
	while (waitpid(sender, &status, WNOHANG) == 0) {
		prepare(pid);
		memory_prober_run(prober, &request);
	}
	for (int i = 0; i < 60000 && board->delivered < 2000; i++)
		sleep_ms(1);
	assert_int_equal(board->delivered, 2000);
	end_target(pid);
}

static bool is_let_go_within_a_second(pid_t pid)
{
	for (int i = 0; i < 1000; i++) {
		if (!is_anybody_stopped(pid))
			return true;
		sleep_ms(1);
	}
	return false;
}

/* Finds the helper of a prober: its only child. 0 where there is none. */
static pid_t child_of(pid_t parent)
{
	char path[64];
	int child = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent, (int)parent);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%d", &child) != 1)
		child = 0;
	fclose(file);
	return child;
}

/* Nothing is left traced if this process, the helper, or the stopped helper is killed, at any moment. */
static void test_probe_killed_in_the_middle(void **state)
{
	pid_t pid = start_target(THREADS, be_thread);

	(void)state;
	need_ptrace();
	for (unsigned round = 0; round < 45; round++) {
		struct random random = random_start(1, round);
		pid_t prober = fork(), helper;

		if (prober == 0) {
			struct memory_prober *own = memory_prober_new();

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;) {
				prepare(pid);
				memory_prober_run(own, &request);
			}
		}
		while ((helper = child_of(prober)) == 0)
			sleep_ms(1);
		usleep((useconds_t)random_below(&random, 5000));
		if (round % 3 == 0)
			kill(prober, SIGKILL);
		else
			kill(helper, round % 3 == 1 ? SIGKILL : SIGSTOP);
		if (round % 3 != 0) {
			sleep_ms(20);
			kill(prober, SIGKILL);
		}
		assert_int_equal(waitpid(prober, NULL, 0), prober);
		assert_true(is_let_go_within_a_second(pid));
		/* A helper that was stopped before it could ask to end with its parent has done nothing, but would stay. */
		(void)kill(helper, SIGKILL);
	}
	(void)probe(pid);
	assert_true(count_tags(PROBE_TAG_ok) >= THREADS - 1);
	check_values();
	end_target(pid);
}

/* A page of its memory that never comes. */
static bool hang_page(void *page, size_t bytes)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.range = {(uintptr_t)page, bytes},
	                                .mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	return fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0 &&
	       ioctl(fd, UFFDIO_REGISTER, &range) == 0;
}

static void test_probe_hung_memory(void **state)
{
	cleanup_(memory_prober_freep) struct memory_prober *prober = memory_prober_new();
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct memory_probe_thread thread[2] = {{0}};
	struct memory_probe_request hung = {.place_count = 1, .thread_count = 1, .threads = thread};
	pid_t pid = fork_target();
	uint64_t cost;

	(void)state;
	assert_true(page != MAP_FAILED);
	if (pid == 0) {
		board->delivered = hang_page(page, bytes);
		start_threads(be_thread, 0, 3);
		(void)be_thread((void *)(uintptr_t)4);
	}
	await_ready(4);
	if (!board->delivered) {
		end_target(pid);
		skip();
	}
	hung.tgid = thread[0].tid = (uint32_t)pid;
	assert_true(process_identity_read(hung.tgid, &hung.identity));
	hung.places[0].slot = (uintptr_t)page;
	memory_prober_run(prober, &hung);
	assert_int_equal(thread[0].tag, PROBE_TAG_worker_panic);
	assert_false(is_anybody_stopped(pid));
	cost = memory_prober_cost(prober)->longest_stop_ns;
	assert_true(cost < 1000000000);
	/* The next one starts anew. */
	prepare(pid);
	memory_prober_run(prober, &request);
	assert_int_equal(count_tags(PROBE_TAG_ok), 4);
	check_values();
	end_target(pid);
	munmap(page, bytes);
}

static void *exit_at_once(void *argument)
{
	counters[0] = counters[1] = 1;
	return argument;
}

/* Threads come and go, and some of the processes become another program. */
static void test_probe_while_all_changes(void **state)
{
	cleanup_(memory_prober_freep) struct memory_prober *prober = memory_prober_new();

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		struct random random = random_start(2, round);
		pid_t pid = fork_target();

		if (pid == 0) {
			start_threads(be_thread, 0, 8);
			while (board->ready < 8)
				sleep_ms(1);
			for (int i = 0; i < 100; i++) {
				start_threads(exit_at_once, 0, 1);
				usleep(100);
			}
			if (round % 2)
				execlp("sleep", "sleep", "100", (char *)NULL);
			_exit(0);
		}
		while (board->ready < 8)
			sleep_ms(1);
		usleep((useconds_t)random_below(&random, 20000));
		prepare(pid);
		memory_prober_run(prober, &request);
		for (size_t i = 0; i < request.thread_count; i++)
			assert_true(probed[i].tag != PROBE_TAG_worker_panic);
		assert_false(is_anybody_stopped(pid));
		end_target(pid);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_probe_loses_no_signal),
	        cmocka_unit_test(test_probe_killed_in_the_middle),
	        cmocka_unit_test(test_probe_hung_memory),
	        cmocka_unit_test(test_probe_while_all_changes),
	};

	make_board();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
