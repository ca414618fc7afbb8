// SPDX-License-Identifier: GPL-2.0-or-later
#include <sqlite3.h>

#include "base/mem.h"
#include "check.h"
#include "database/database.h"
#include "temp-tree.h"

static void execute(const char *path, const char *text)
{
	sqlite3 *handle = NULL;

	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle, text, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

/* Opens the database after a change of its tables. */
static void assert_opens(const struct temp_tree *tree, const char *text, const char *expected)
{
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "fleet.db");
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(database_freep) struct database *database = NULL;

	execute(path, text);
	database = database_open(path, DATABASE_READ, &reason);
	assert_string_equal(strbuf_str(&reason), expected);
	assert_true((database != NULL) == (expected[0] == '\0'));
}

static void test_tables(void **state)
{
	static const char refused[] = "it is no database of facts: its tables are others";
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "fleet.db");
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct database *database = database_open(path, DATABASE_ADD, &reason);

	assert_non_null(database);
	database_freep(&database);
	/* Users may add tables and indexes. */
	assert_opens(tree, "CREATE TABLE own (x); CREATE INDEX names ON grp (group_name); ANALYZE",
	             "");
	assert_opens(tree, "DROP TABLE snapshot_key; CREATE VIEW snapshot_key AS SELECT 1",
	             refused);
	assert_opens(tree,
	             "DROP VIEW snapshot_key; CREATE TABLE snapshot_key (snapshot INTEGER "
	             "NOT NULL REFERENCES snapshot(id), group_key TEXT NOT NULL AS (zeroblob(9)))",
	             refused);
	assert_opens(tree, "DROP TABLE snapshot_key", refused);
}

#define test(name_) \
	cmocka_unit_test_setup_teardown(test_##name_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {test(tables)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
