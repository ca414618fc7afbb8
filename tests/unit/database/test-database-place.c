// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"
#include "database/database.h"
#include "temp-tree.h"

static void assert_opens(const struct temp_tree *tree, const char *expected)
{
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "above/own/fleet.db");
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(database_freep) struct database *database =
	        database_open(path, DATABASE_ADD, &reason);

	assert_int_equal(strncmp(strbuf_str(&reason), expected, strlen(expected)), 0);
	assert_true((database != NULL) == (expected[0] == '\0'));
}

/* Others who may rename a directory decide what is found behind its name. */
static void test_directory_above(void **state)
{
	const struct temp_tree *tree = *state;
	temp_tree_make_dir(tree, "above/own");
	assert_opens(tree, "");
	assert_int_equal(fchmodat(tree->fd, "above", 0777, 0), 0);
	assert_opens(tree, "other users may rename a directory that it lies in (all users have "
	                   "the right: chmod o-w)");
	/* Nobody but its owner renames what is in a sticky directory. */
	assert_int_equal(fchmodat(tree->fd, "above", 01777, 0), 0);
	assert_opens(tree, "");
	if (geteuid() != 0)
		return;
	assert_int_equal(fchmodat(tree->fd, "above", 0755, 0), 0);
	assert_int_equal(fchownat(tree->fd, "above", 65534, 65534, 0), 0);
	assert_opens(tree, "other users may rename a directory that it lies in (it belongs to user "
	                   "65534)");
	assert_int_equal(fchownat(tree->fd, "above", 0, 50, 0), 0);
	assert_int_equal(fchmodat(tree->fd, "above", 02775, 0), 0);
	assert_opens(tree, "other users may rename a directory that it lies in (group 50 has the "
	                   "right: chmod g-w)");
}

static void test_directory(void **state)
{
	const struct temp_tree *tree = *state;

	temp_tree_make_dir(tree, "above/own");
	assert_int_equal(fchmodat(tree->fd, "above/own", 01777, 0), 0);
	assert_opens(tree, "other users may write its directory, which has the journal");
}

#define test(name_) \
	cmocka_unit_test_setup_teardown(test_##name_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {test(directory_above), test(directory)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
