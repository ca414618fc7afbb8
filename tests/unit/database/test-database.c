// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "database/database.h"
#include "temp-tree.h"

enum { HELD_US = 300000 };

/* Another writer that is making the same new database. */
static void *release(void *handle)
{
	usleep(HELD_US);
	assert_int_equal(sqlite3_exec(handle, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	return NULL;
}

static void test_new_beside_another_writer(void **state)
{
	cleanup_(mem_freep) char *path = temp_tree_path(*state, "fleet.db");
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct database *database;
	sqlite3 *handle = NULL;
	pthread_t thread;

	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	/* SQLite does not wait for one who is about to write when it changes the journal. */
	assert_int_equal(sqlite3_exec(handle, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(pthread_create(&thread, NULL, release, handle), 0);
	database = database_open(path, DATABASE_ADD, &reason);
	if (!database)
		fail_msg("%s", strbuf_str(&reason));
	pthread_join(thread, NULL);
	database_freep(&database);
	sqlite3_close(handle);
}

/* A directory's access control list for new files gives nobody a new database. */
static void test_access_control_list(void **state)
{
	const struct temp_tree_list list = {7, 7, 7, 7, 7, .uid = 65534};
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "fleet.db");
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(database_freep) struct database *database = NULL;
	struct stat status;

	if (!temp_tree_set_list(tree, ".", true, &list))
		skip();
	database = database_open(path, DATABASE_ADD, &reason);
	if (!database)
		fail_msg("%s", strbuf_str(&reason));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode, S_IFREG | 0600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_new_beside_another_writer, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_access_control_list, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
