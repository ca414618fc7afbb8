// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/job-command.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"
#include "temp-tree.h"

/* Returns what job_command_release() returned, and the status of the process. */
static int run(char **argv, int *ret_status)
{
	struct job_inherited inherited;
	cleanup_(job_command_done) struct job_command command = JOB_COMMAND_INIT;
	const struct job_launch launch = {.argv = argv, .inherited = &inherited};
	bool in_cgroup = false;
	int r;

	assert_int_equal(job_inherited_save(&inherited), 0);
	assert_int_equal(job_command_start(&command, &launch, -1, &in_cgroup), 0);
	assert_false(in_cgroup);
	/* It waits until it is released. */
	assert_int_equal(waitpid(command.pid, ret_status, WNOHANG), 0);
	r = job_command_release(&command);
	assert_int_equal(waitpid(command.pid, ret_status, 0), command.pid);
	job_inherited_restore(&inherited);
	return r;
}

static char *words(const char *text)
{
	return (char *)(uintptr_t)text;
}

static void test_codes(void **state)
{
	const struct temp_tree *tree = *state;
	int status;

	(void)tree;
	assert_int_equal(run((char *[]){words("sh"), words("-c"), words("exit 7"), NULL}, &status),
	                 0);
	assert_int_equal(job_command_exit_code(status), 7);
	assert_int_equal(
	        run((char *[]){words("sh"), words("-c"), words("kill -9 $$"), NULL}, &status), 0);
	assert_int_equal(job_command_exit_code(status), 137);
}

static void test_not_executable(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "data");
	int status, r;

	temp_tree_write_text(tree, "data", "x");
	r = run((char *[]){path, NULL}, &status);
	assert_int_equal(r, -EACCES);
	assert_int_equal(job_command_error_code(-r), 126);
	assert_int_equal(job_command_exit_code(status), 126);
	r = run((char *[]){words("/nowhere/at/all"), NULL}, &status);
	assert_int_equal(r, -ENOENT);
	assert_int_equal(job_command_error_code(-r), 127);
	assert_int_equal(job_command_exit_code(status), 127);
}

static void test_never_released(void **state)
{
	struct job_inherited inherited;
	struct job_command command;
	char *argv[] = {words("sh"), words("-c"), words("exit 7"), NULL};
	const struct job_launch launch = {.argv = argv, .inherited = &inherited};
	bool in_cgroup;
	int status;

	(void)state;
	assert_int_equal(job_inherited_save(&inherited), 0);
	assert_int_equal(job_command_start(&command, &launch, -1, &in_cgroup), 0);
	job_command_done(&command);
	assert_int_equal(waitpid(command.pid, &status, 0), command.pid);
	assert_int_equal(job_command_exit_code(status), 125);
	job_inherited_restore(&inherited);
}

/* Reads the lines of our own blocked and ignored signals. */
static void read_own_signals(struct strbuf *out)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, "SigBlk", 6) == 0 || strncmp(line, "SigIgn", 6) == 0)
			strbuf_add_str(out, line);
	fclose(file);
	/* The last newline is left out, which $() does as well. */
	assert_true(out->len > 0);
	out->data[--out->len] = '\0';
}

/* The command has the signals that its runner was started with, and the same process group and session. */
static void test_surroundings(void **state)
{
	static const char script[] =
	        "test \"$(ps -o pgid= -p $$)\" = \"$(ps -o pgid= -p $PPID)\" && "
	        "test \"$(ps -o sid= -p $$)\" = \"$(ps -o sid= -p $PPID)\" && "
	        "test \"$(grep -E '^Sig(Blk|Ign)' /proc/$$/status)\" = \"$1\"";
	cleanup_(strbuf_done) struct strbuf expected = STRBUF_INIT;
	struct sigaction pipe = {.sa_handler = SIG_IGN};
	int status;

	(void)state;
	assert_int_equal(sigaction(SIGPIPE, &pipe, NULL), 0);
	read_own_signals(&expected);
	assert_int_equal(run((char *[]){words("sh"), words("-c"), words(script), words("sh"),
	                                expected.data, NULL},
	                     &status),
	                 0);
	assert_int_equal(job_command_exit_code(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_codes, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_not_executable, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test(test_never_released),
	        cmocka_unit_test(test_surroundings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
