// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-tally.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { PAGES = 512 };

/* A child that touches memory and reads 1000 bytes, and ends with this code. */
static pid_t start(int code)
{
	pid_t pid = fork();

	if (pid == 0) {
		const size_t page = (size_t)sysconf(_SC_PAGESIZE);
		volatile char *memory = malloc(PAGES * page);
		char bytes[1000];
		int fd = open("/dev/zero", O_RDONLY);

		for (size_t i = 0; memory && i < PAGES; i++)
			memory[i * page] = 1;
		if (read(fd, bytes, sizeof(bytes)) < 0)
			code++;
		_exit(code);
	}
	assert_true(pid > 0);
	return pid;
}

static void await_zombie(pid_t pid)
{
	siginfo_t info;

	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

static int open_proc(void)
{
	int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void test_sums(void **state)
{
	cleanup_(fd_closep) int proc_fd = open_proc();
	const struct id_list none = {0};
	struct job_tally tally = JOB_TALLY_INIT;
	struct job_values values = {0};
	const struct job_live live = {
	        .minor_faults = 5, .user_time = 3, .cpu_time = 3.004, .has_io = false};
	const struct job_live both[] = {{.is_stalled = true}, live};
	struct rusage usage;
	bool ended = false;
	pid_t first, second;
	int status = -1;

	(void)state;
	job_tally_init(&tally, proc_fd, &none);
	assert_false(job_tally_reap(&tally, 1, &ended, &status));
	assert_false(ended);
	first = start(0);
	second = start(4);
	job_tally_watch(&tally, second);
	await_zombie(first);
	await_zombie(second);
	assert_false(job_tally_reap(&tally, second, &ended, &status));
	assert_true(ended);
	assert_int_equal(WEXITSTATUS(status), 4);
	job_tally_values(&tally, NULL, 0, &values);
	assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
	assert_float_equal(values.numbers[JOB_minor_faults], (double)usage.ru_minflt, 0);
	assert_true(values.numbers[JOB_minor_faults] >= 2 * PAGES);
	assert_float_equal(values.numbers[JOB_voluntary_switches], (double)usage.ru_nvcsw, 0);
	if (values.seen[JOB_rchar])
		assert_float_equal(values.numbers[JOB_rchar], 2000, 0);
	else
		assert_true(geteuid() != 0);
	/* A process that goes on is added; nobody knows all its switches, nor the bytes of one without the file. */
	memset(&values, 0, sizeof(values));
	job_tally_values(&tally, &live, 1, &values);
	assert_float_equal(values.numbers[JOB_minor_faults], (double)usage.ru_minflt + 5, 0);
	assert_true(values.numbers[JOB_cpu_time] >= 3);
	assert_false(values.seen[JOB_voluntary_switches]);
	assert_false(values.seen[JOB_rchar]);
	/* Nothing is known of one that stalls. */
	memset(&values, 0, sizeof(values));
	job_tally_values(&tally, both, 2, &values);
	assert_false(values.seen[JOB_cpu_time]);
	assert_false(values.seen[JOB_minor_faults]);
	job_tally_done(&tally);
}

/* Children that others have started are theirs. */
static void test_others(void **state)
{
	cleanup_(fd_closep) int proc_fd = open_proc();
	uint32_t other = (uint32_t)start(1);
	const struct id_list others = {.ids = &other, .count = 1};
	struct job_tally tally = JOB_TALLY_INIT;
	struct job_values values = {0};
	bool ended = false;
	pid_t pid = start(2);
	int status;

	(void)state;
	job_tally_init(&tally, proc_fd, &others);
	await_zombie((pid_t)other);
	await_zombie(pid);
	assert_false(job_tally_reap(&tally, pid, &ended, &status));
	assert_true(ended);
	job_tally_values(&tally, NULL, 0, &values);
	assert_true(values.numbers[JOB_minor_faults] >= PAGES);
	assert_true(values.numbers[JOB_minor_faults] < 2 * PAGES);
	assert_int_equal(waitpid((pid_t)other, &status, 0), other);
}

static void test_more(void **state)
{
	cleanup_(fd_closep) int proc_fd = open_proc();
	const struct id_list none = {0};
	struct job_tally tally = JOB_TALLY_INIT;
	bool ended = false;
	int pipe_fds[2], status;
	pid_t pid;
	char byte;

	(void)state;
	job_tally_init(&tally, proc_fd, &none);
	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (pid == 0) {
		close(pipe_fds[1]);
		_exit((int)read(pipe_fds[0], &byte, 1));
	}
	close(pipe_fds[0]);
	assert_true(job_tally_reap(&tally, pid, &ended, &status));
	assert_false(ended);
	close(pipe_fds[1]);
	await_zombie(pid);
	assert_false(job_tally_reap(&tally, pid, &ended, &status));
	assert_true(ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_sums),
	        cmocka_unit_test(test_others),
	        cmocka_unit_test(test_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
