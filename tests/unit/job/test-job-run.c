// SPDX-License-Identifier: GPL-2.0-or-later
/* Jobs of this user on this host, with a cgroup or without; the live test knows more about the numbers. */
#include "job/job-run.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "check.h"

static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

static void run_script(const char *script, bool wait_all, struct job_result *ret)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	char *argv[] = {word("sh"), word("-c"), word(script), NULL};
	struct job_inherited inherited;
	const struct job_options options = {
	        .launch = {.argv = argv, .inherited = &inherited},
	        .wait_all = wait_all,
	        .without_exits = true,
	        .sample_ns = NS_PER_SECOND,
	        .report_ns = NS_PER_SECOND,
	};

	assert_int_equal(job_inherited_save(&inherited), 0);
	assert_int_equal(job_run(&options, ret, &reason), 0);
	job_inherited_restore(&inherited);
	assert_true(ret->started);
}

static void test_values(void **state)
{
	cleanup_(job_result_done) struct job_result result = {0};
	const struct job_values *values = &result.values;

	(void)state;
	run_script("sleep 0.2; exit 9", false, &result);
	assert_int_equal(result.code, 9);
	assert_int_equal(result.left_count, 0);
	assert_true(values->numbers[JOB_wall_clock_time] >= .2);
	assert_true(values->seen[JOB_cpu_time]);
	assert_true(values->numbers[JOB_cpu_time] < values->numbers[JOB_wall_clock_time]);
	assert_true(values->numbers[JOB_num_samples] >= 1);
	assert_true(values->numbers[JOB_peak_rss] >= values->numbers[JOB_average_rss]);
	assert_true(values->numbers[JOB_minor_faults] > 0);
	assert_true(values->numbers[JOB_end_time] > values->numbers[JOB_start_time]);
}

/* The command ends, and its descendant goes on. */
static void test_left(void **state)
{
	cleanup_(job_result_done) struct job_result result = {0};

	(void)state;
	run_script("sleep 30 & exit 0", false, &result);
	assert_int_equal(result.code, 0);
	assert_int_equal(result.left_count, 1);
	assert_true(result.values.numbers[JOB_wall_clock_time] < 20);
	assert_int_equal(result.leftover.len, 0);
	/* It was not killed, and is in the cgroup that it would be in without us. */
	assert_int_equal(kill((pid_t)result.left[0].pid, SIGKILL), 0);
}

/* Runs a job that leaves a process and a zombie of it. Returns whether its time has that of the zombie. */
static bool has_zombie(void)
{
	cleanup_(job_result_done) struct job_result result = {0};

	run_script("(sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done' &"
	           " exec sleep 30) & sleep 1",
	           false, &result);
	for (size_t i = 0; i < result.left_count; i++)
		(void)kill((pid_t)result.left[i].pid, SIGKILL);
	return result.container == JOB_CONTAINER_SUBREAPER && result.left_count == 1 &&
	       result.zombie_count == 1 && result.zombies[0].cpu_time > .01 &&
	       result.values.numbers[JOB_cpu_time] > result.zombies[0].cpu_time;
}

/* Only root makes a cgroup, which has the time of zombies by itself. */
static void test_zombie(void **state)
{
	enum { NOBODY = 65534 };
	pid_t pid = fork();
	int status = -1;

	(void)state;
	if (pid == 0)
		_exit((geteuid() != 0 || setuid(NOBODY) == 0) && has_zombie() ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* An orphan in a session of its own is waited for. */
static void test_wait_all(void **state)
{
	cleanup_(job_result_done) struct job_result result = {0};
	int subreaper = -1;

	(void)state;
	run_script("setsid sh -c '(sleep 0.3; exit 5) & exit 0' & exit 2", true, &result);
	assert_int_equal(result.code, 2);
	assert_int_equal(result.left_count, 0);
	assert_true(result.values.numbers[JOB_wall_clock_time] >= .3);
	assert_int_equal(prctl(PR_GET_CHILD_SUBREAPER, &subreaper, 0, 0, 0), 0);
	assert_int_equal(subreaper, 0);
}

static void test_not_started(void **state)
{
	cleanup_(job_result_done) struct job_result result = {0};
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	char *argv[] = {word("/nowhere/at/all"), NULL};
	struct job_inherited inherited;
	const struct job_options options = {
	        .launch = {.argv = argv, .inherited = &inherited},
	        .without_exits = true,
	        .sample_ns = 1,
	        .report_ns = 1,
	};

	(void)state;
	assert_int_equal(job_inherited_save(&inherited), 0);
	assert_int_equal(job_run(&options, &result, &reason), 0);
	job_inherited_restore(&inherited);
	assert_false(result.started);
	assert_int_equal(result.error, -ENOENT);
	assert_int_equal(result.code, 127);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_values),      cmocka_unit_test(test_left),
	        cmocka_unit_test(test_zombie),      cmocka_unit_test(test_wait_all),
	        cmocka_unit_test(test_not_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
