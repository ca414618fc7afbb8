// SPDX-License-Identifier: GPL-2.0-or-later
#include "duct/duct-config.h"

#include <fcntl.h>
#include <stdlib.h>
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

#define test(name_) \
	cmocka_unit_test_setup_teardown(test_##name_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {test(default_places), test(of_others)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
