// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"
#include "temp-tree.h"

enum { OTHER = 65534 };

/* Reads the files, by @paths or from the default places, in the tree. Returns the value of A, which the caller frees. */
static char *read_value(const struct temp_tree *tree, const char *paths)
{
	cleanup_(duct_variables_done) struct duct_variables variables = {0};
	cleanup_(duct_messages_done) struct duct_messages messages = {0};
	const char *value;

	assert_int_equal(fchdir(tree->fd), 0);
	assert_int_equal(setenv("XDG_CONFIG_HOME", tree->path, 1), 0);
	if (paths)
		assert_int_equal(setenv("DUCT_CONFIG_PATHS", paths, 1), 0);
	else
		assert_int_equal(unsetenv("DUCT_CONFIG_PATHS"), 0);
	duct_config_read(&variables, &messages);
	value = duct_variables_find(&variables, "A");
	return value ? mem_copy(value, strlen(value)) : NULL;
}

static void assert_read(const struct temp_tree *tree, const char *paths, bool is_read)
{
	cleanup_(mem_freep) char *value = read_value(tree, paths);

	assert_true((value != NULL) == is_read);
}

static void test_default_places(void **state)
{
	const struct temp_tree *tree = *state;

	temp_tree_write_text(tree, "duct/.env", "A=1\n");
	assert_read(tree, NULL, true);
	temp_tree_remove(tree, "duct/.env");
	assert_read(tree, NULL, false);
	temp_tree_write_text(tree, ".duct/.env", "A=1\n");
	assert_read(tree, NULL, true);
	assert_int_equal(fchmodat(tree->fd, ".duct/.env", 0666, 0), 0);
	assert_read(tree, NULL, false);
	/* A file that is named is the choice of the user, but not of root. */
	assert_read(tree, ".duct/.env", geteuid() != 0);
}

/* Runs a function as another user, in a child. */
static void as_other(const struct temp_tree *tree, void (*run)(const struct temp_tree *tree))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		if (setresgid(OTHER, OTHER, OTHER) < 0 || setresuid(OTHER, OTHER, OTHER) < 0)
			_exit(2);
		run(tree);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void read_of_others(const struct temp_tree *tree)
{
	char *by_default = read_value(tree, NULL), *by_choice = read_value(tree, ".duct/.env");

	if (by_default || !by_choice)
		_exit(1);
}

static void test_of_others(void **state)
{
	const struct temp_tree *tree = *state;

	if (geteuid() != 0)
		skip();
	temp_tree_write_text(tree, ".duct/.env", "A=1\n");
	assert_int_equal(fchmodat(tree->fd, ".duct/.env", 0644, 0), 0);
	assert_int_equal(fchownat(tree->fd, ".duct/.env", OTHER - 1, OTHER - 1, 0), 0);
	assert_int_equal(fchmod(tree->fd, 0755), 0);
	assert_int_equal(fchmodat(tree->fd, ".duct", 0755, 0), 0);
	assert_read(tree, NULL, false);
	assert_read(tree, ".duct/.env", false);
	as_other(tree, read_of_others);
}

/* A file in a directory of others, or behind a link of theirs, is theirs, whoever owns it. */
static void test_in_places_of_others(void **state)
{
	const struct temp_tree *tree = *state;

	if (geteuid() != 0)
		skip();
	/* A file of root's in which others have lines, such as a log. */
	temp_tree_write_text(tree, "log/app.log", "A=1\n");
	assert_int_equal(fchmod(tree->fd, 01777), 0);
	temp_tree_make_dir(tree, ".duct");
	assert_int_equal(symlinkat("../log/app.log", tree->fd, ".duct/.env"), 0);
	assert_int_equal(fchownat(tree->fd, ".duct", OTHER, OTHER, 0), 0);
	assert_read(tree, NULL, false);
	assert_read(tree, ".duct/.env", false);
	/* The link is root's, and lies where others may have moved it. */
	assert_int_equal(fchownat(tree->fd, ".duct", 0, 0, 0), 0);
	assert_int_equal(fchmodat(tree->fd, ".duct", 01777, 0), 0);
	assert_read(tree, NULL, false);
	/* A file of root's that was moved there. */
	temp_tree_remove(tree, ".duct/.env");
	temp_tree_write_text(tree, ".duct/.env", "A=1\n");
	assert_read(tree, NULL, false);
	assert_int_equal(fchmodat(tree->fd, ".duct", 0755, 0), 0);
	/* Others may have moved the tree to /tmp as long as they may write it. */
	assert_read(tree, NULL, false);
	assert_int_equal(fchmod(tree->fd, 0755), 0);
	assert_read(tree, NULL, true);
	/* A directory of root's that its owner may have given another name. */
	assert_int_equal(fchownat(tree->fd, "", OTHER, OTHER, AT_EMPTY_PATH), 0);
	assert_read(tree, NULL, false);
	assert_int_equal(fchownat(tree->fd, "", 0, 0, AT_EMPTY_PATH), 0);
	/* One's own link in one's own directory. */
	temp_tree_remove(tree, ".duct/.env");
	assert_int_equal(symlinkat("../log/app.log", tree->fd, ".duct/.env"), 0);
	assert_read(tree, NULL, true);
}

/* procfs shows the files of a process that may not be dumped as root's. */
static void test_of_process(void **state)
{
	const struct temp_tree *tree = *state;
	char path[64], byte = '0';
	int ends[2], status;
	pid_t child;

	if (geteuid() != 0)
		skip();
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		char *const words[] = {(char *)"test", (char *)"undumpable", NULL};
		char *const variables[] = {(char *)"B=1\nA=1\n", NULL};

		dup2(ends[1], STDOUT_FILENO);
		if (setresgid(OTHER, OTHER, OTHER) == 0 && setresuid(OTHER, OTHER, OTHER) == 0)
			execve("/proc/self/exe", words, variables);
		_exit(1);
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(byte, '1');
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)child);
	temp_tree_make_dir(tree, ".duct");
	assert_int_equal(symlinkat(path, tree->fd, ".duct/.env"), 0);
	/* Even by a link of root's. */
	assert_read(tree, NULL, false);
	assert_read(tree, path, false);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(ends[0]);
	close(ends[1]);
}

#define test(name_) \
	cmocka_unit_test_setup_teardown(test_##name_, temp_tree_setup, temp_tree_teardown)

/* The process of test_of_process(). */
static int wait_undumpable(void)
{
	bool is_ready = prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 &&
	                prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;

	(void)!write(STDOUT_FILENO, is_ready ? "1" : "0", 1);
	pause();
	return 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {test(default_places), test(of_others),
	                                   test(in_places_of_others), test(of_process)};

	if (argc == 2 && strcmp(argv[1], "undumpable") == 0)
		return wait_undumpable();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
