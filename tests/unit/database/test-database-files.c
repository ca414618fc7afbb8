// SPDX-License-Identifier: GPL-2.0-or-later
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "check.h"
#include "database/database-files.h"
#include "database/database.h"
#include "temp-tree.h"

static void add_number(struct strbuf *out, uint32_t number)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		strbuf_add_char(out, (char)(number >> shift & 0xff));
}

/* Writes the journal of a transaction over several databases: an empty one, and behind it the name of the file that lists them. SQLite
 * removes that file when it has read the journal. */
static void write_journal(const struct temp_tree *tree, const char *other)
{
	static const char magic[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
	enum { SECTOR = 512, PAGE = 4096, LOCK_PAGE = 0x40000000 / PAGE + 1 };
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	uint32_t sum = 0;

	strbuf_add(&text, magic, strlen(magic));
	add_number(&text, 0);
	add_number(&text, 1);
	add_number(&text, 1);
	add_number(&text, SECTOR);
	add_number(&text, PAGE);
	while (text.len < SECTOR)
		strbuf_add_char(&text, '\0');
	add_number(&text, LOCK_PAGE);
	strbuf_add_str(&text, other);
	for (const char *at = other; *at; at++)
		sum += (unsigned char)*at;
	add_number(&text, (uint32_t)strlen(other));
	add_number(&text, sum);
	strbuf_add(&text, magic, strlen(magic));
	temp_tree_write(tree, "fleet.db-journal", text.data, text.len);
}

/* Makes a database as an older program could have left it, with the other kind of journal. */
static void make(const char *path)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	struct database *database = database_open(path, DATABASE_ADD, &reason);
	sqlite3 *handle = NULL;

	assert_non_null(database);
	database_freep(&database);
	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL),
	                 SQLITE_OK);
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

static void test_journal_names_another_file(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "fleet.db");
	cleanup_(mem_freep) char *victim = temp_tree_path(tree, "victim");

	make(path);
	temp_tree_write_text(tree, "victim", "precious");
	for (int use = DATABASE_ADD; use <= DATABASE_READ; use++) {
		cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
		cleanup_(database_freep) struct database *database = NULL;

		write_journal(tree, victim);
		database = database_open(path, (enum database_use)use, &reason);
		temp_tree_assert_text(tree, "victim", "precious");
		assert_null(database);
		assert_string_equal(strbuf_str(&reason), "its journal names another file");
	}
}

/* Two are open at a time, and each keeps its journal beside it. */
static void test_own_files(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "fleet.db");
	cleanup_(mem_freep) char *other = temp_tree_path(tree, "fleet.db2");
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT;
	cleanup_(database_freep) struct database *first = NULL, *second = NULL;
	struct stat status;

	first = database_open(path, DATABASE_ADD, &reason);
	assert_non_null(first);
	second = database_open(other, DATABASE_ADD, &reason);
	assert_non_null(second);
	assert_int_equal(fstatat(tree->fd, "fleet.db-wal", &status, 0), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	database_freep(&first);
	database_freep(&second);
	assert_int_equal(temp_tree_count(tree, "."), 2);
}

/* Whatever SQLite may find to remove. */
static void test_no_other_is_removed(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "fleet.db");
	cleanup_(mem_freep) char *journal = temp_tree_path(tree, "fleet.db-journal");
	cleanup_(mem_freep) char *victim = temp_tree_path(tree, "victim");
	cleanup_(database_files_freep) struct database_files *files = database_files_new(path);
	sqlite3_vfs *vfs = sqlite3_vfs_find(database_files_name(files));

	assert_non_null(vfs);
	temp_tree_write_text(tree, "victim", "precious");
	temp_tree_write_text(tree, "fleet.db-journal", "");
	assert_int_not_equal(vfs->xDelete(vfs, victim, 0), SQLITE_OK);
	temp_tree_assert_text(tree, "victim", "precious");
	assert_true(database_files_refused(files));
	assert_int_equal(vfs->xDelete(vfs, journal, 0), SQLITE_OK);
	assert_int_equal(temp_tree_count(tree, "."), 1);
}

#define test(name_) \
	cmocka_unit_test_setup_teardown(test_##name_, temp_tree_setup, temp_tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {test(journal_names_another_file), test(own_files),
	                                   test(no_other_is_removed)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
