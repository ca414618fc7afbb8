// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "check.h"
#include "database/database.h"
#include "temp-tree.h"

enum {
	PAGE = 512,
	FACTS = 2000,
	LEVELS = 15,
	TYPE_INTERIOR_INDEX = 2,
	TYPE_INTERIOR_TABLE = 5,
	TYPE_LEAF_TABLE = 13
};

static uint32_t number_at(const char *bytes, unsigned len)
{
	uint32_t number = 0;

	for (unsigned i = 0; i < len; i++)
		number = number << 8 | (unsigned char)bytes[i];
	return number;
}

static void set_number(char *bytes, uint32_t number)
{
	for (int i = 3; i >= 0; i--, number >>= 8)
		bytes[i] = (char)(number & 0xff);
}

static void execute(sqlite3 *handle, const char *text)
{
	assert_int_equal(sqlite3_exec(handle, text, NULL, NULL, NULL), SQLITE_OK);
}

static char *page_at(struct strbuf *file, uint32_t page)
{
	assert_true(page > 0 && (size_t)page * PAGE <= file->len);
	return file->data + (size_t)(page - 1) * PAGE;
}

/* Makes a database with small pages and one file of a host, with FACTS groups. Returns the root page of the facts. */
static uint32_t make(const char *path)
{
	cleanup_(strbuf_done) struct strbuf reason = STRBUF_INIT, text = STRBUF_INIT;
	struct database *database = NULL;
	sqlite3_stmt *stmt = NULL;
	sqlite3 *handle = NULL;
	uint32_t root;

	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	strbuf_addf(&text, "PRAGMA page_size = %d; VACUUM", PAGE);
	execute(handle, strbuf_str(&text));
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
	database = database_open(path, DATABASE_ADD, &reason);
	assert_non_null(database);
	database_freep(&database);
	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	execute(handle,
	        "PRAGMA journal_mode = DELETE;"
	        "INSERT INTO snapshot VALUES (1, 'd', 'h', 'b', 'k', '', 'window', 1, 1, 'none');"
	        "INSERT INTO metric VALUES (1, 'm', 'u', 't', 'sum');"
	        "INSERT INTO grp VALUES (1, 'k', 'g')");
	strbuf_clear(&text);
	strbuf_addf(&text,
	            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
	            "INSERT INTO fact (snapshot, grp, metric, threads, seen) SELECT 1, 1, i, 1, 1 "
	            "FROM n",
	            FACTS);
	execute(handle, strbuf_str(&text));
	assert_int_equal(
	        sqlite3_prepare_v2(handle, "SELECT rootpage FROM sqlite_schema WHERE name = 'fact'",
	                           -1, &stmt, NULL),
	        SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	root = (uint32_t)sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
	return root;
}

/* All children of an interior page become @child. */
static void set_children(char *page, uint32_t child)
{
	uint32_t cells = number_at(page + 3, 2);

	assert_int_equal(page[0], TYPE_INTERIOR_INDEX);
	assert_true(cells > 2);
	set_number(page + 8, child);
	for (uint32_t i = 0; i < cells; i++)
		set_number(page + number_at(page + 12 + (size_t)2 * i, 2), child);
}

/* Puts LEVELS copies of the root page one below the other, each the only child of the one above. */
static void repeat_pages(struct strbuf *file, uint32_t root)
{
	cleanup_(mem_freep) char *copy = mem_copy(page_at(file, root), PAGE);
	uint32_t leaf = number_at(copy + 8, 4), pages = (uint32_t)(file->len / PAGE);

	while (page_at(file, leaf)[0] == TYPE_INTERIOR_INDEX)
		leaf = number_at(page_at(file, leaf) + 8, 4);
	for (uint32_t level = 0; level < LEVELS; level++) {
		set_children(copy, level + 1 < LEVELS ? pages + level + 2 : leaf);
		strbuf_add(file, copy, PAGE);
	}
	set_children(page_at(file, root), pages + 1);
	set_number(file->data + 28, pages + LEVELS);
	memcpy(file->data + 92, file->data + 24, 4);
}

static void count_fact(void *context, const struct database_fact *fact)
{
	uint64_t *count = context;

	(void)fact;
	++*count;
}

static int scan(const char *path, uint64_t *ret_count, struct strbuf *reason)
{
	static const struct database_filter all = {0};
	static const unsigned char uses[] = {0, 1};
	cleanup_(database_freep) struct database *database =
	        database_open(path, DATABASE_READ, reason);
	cleanup_(database_list_done) struct database_list list = {0};
	int r;

	assert_non_null(database);
	assert_int_equal(database_list(database, &list), 0);
	assert_int_equal(list.snapshot_count, ARRAY_SIZE(uses));
	r = database_scan(database, &all, &list, uses, count_fact, ret_count);
	strbuf_add_str(reason, database_reason(database));
	return r;
}

static void test_pages_of_several_parents(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "fleet.db");
	cleanup_(strbuf_done) struct strbuf file = STRBUF_INIT, reason = STRBUF_INIT;
	uint64_t count = 0;
	uint32_t root = make(path);

	/* Metric 1 has a name alone. */
	assert_int_equal(scan(path, &count, &reason), 0);
	assert_int_equal(count, 1);
	assert_int_equal(fd_read_all_at(tree->fd, "fleet.db", &file, 1 << 20), 0);
	repeat_pages(&file, root);
	temp_tree_write(tree, "fleet.db", file.data, file.len);
	assert_int_equal(scan(path, &count, &reason), -EIO);
	assert_string_equal(strbuf_str(&reason),
	                    "it is damaged: it has more rows or texts than its size allows");
}

/* Makes a page of a table's tree all whose children are @child, behind what the file has. */
static void add_interior_page(struct strbuf *file, uint32_t first_child, uint32_t child)
{
	enum { CELLS = 40, CELL_BYTES = 5, KEY = 100, HEADER_BYTES = 12 };
	char page[PAGE] = {TYPE_INTERIOR_TABLE, [4] = CELLS};

	page[5] = (char)((PAGE - CELLS * CELL_BYTES) >> 8);
	page[6] = (char)((PAGE - CELLS * CELL_BYTES) & 0xff);
	set_number(page + 8, child);
	for (int i = 0; i < CELLS; i++) {
		int at = PAGE - (i + 1) * CELL_BYTES;

		page[HEADER_BYTES + 2 * i] = (char)(at >> 8);
		page[HEADER_BYTES + 2 * i + 1] = (char)(at & 0xff);
		set_number(page + at, i == 0 ? first_child : child);
		page[at + 4] = KEY;
	}
	strbuf_add(file, page, PAGE);
}

/* Adds a page with one row of the list of tables, that of an automatic index. */
static void add_schema_leaf(struct strbuf *file)
{
	/* The length of the row, its number, and the length and types of its columns come before its text. */
	enum { BEFORE_TEXT = 8, HEADER_BYTES = 8 };
	static const char text[] = "indexsqlite_autoindex_snapshot_1snapshot";
	const char *found = memmem(file->data, file->len, text, sizeof(text) - 1);
	char page[PAGE] = {TYPE_LEAF_TABLE, [4] = 1};
	size_t len, at;

	assert_non_null(found);
	found -= BEFORE_TEXT;
	len = 2 + (size_t)(unsigned char)found[0];
	at = PAGE - len;
	page[5] = page[HEADER_BYTES] = (char)(at >> 8);
	page[6] = page[HEADER_BYTES + 1] = (char)(at & 0xff);
	memcpy(page + at, found, len);
	strbuf_add(file, page, PAGE);
}

/* SQLite reads the list of tables before the first statement, and takes a row of an automatic index as often as it comes. */
static void test_schema_pages_of_several_parents(void **state)
{
	enum { SCHEMA_HEADER = 100 };
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "fleet.db");
	cleanup_(strbuf_done) struct strbuf file = STRBUF_INIT, reason = STRBUF_INIT;
	uint32_t pages, last;
	char *right;

	make(path);
	assert_int_equal(fd_read_all_at(tree->fd, "fleet.db", &file, 1 << 20), 0);
	pages = (uint32_t)(file.len / PAGE);
	assert_int_equal(page_at(&file, 1)[SCHEMA_HEADER], TYPE_INTERIOR_TABLE);
	last = number_at(page_at(&file, 1) + SCHEMA_HEADER + 8, 4);
	add_schema_leaf(&file);
	for (uint32_t level = 0; level < LEVELS; level++)
		add_interior_page(&file, level + 1 < LEVELS ? pages + level + 1 : last,
		                  pages + level + 1);
	right = page_at(&file, 1) + SCHEMA_HEADER + 8;
	set_number(right, pages + LEVELS + 1);
	set_number(file.data + 28, pages + LEVELS + 1);
	memcpy(file.data + 92, file.data + 24, 4);
	temp_tree_write(tree, "fleet.db", file.data, file.len);
	assert_null(database_open(path, DATABASE_READ, &reason));
	assert_string_equal(strbuf_str(&reason),
	                    "it is damaged: it has more rows or texts than its size allows");
	strbuf_clear(&reason);
	assert_null(database_open(path, DATABASE_ADD, &reason));
	assert_string_equal(strbuf_str(&reason),
	                    "it is damaged: it has more rows or texts than its size allows");
}

/* Holes cost nothing, so they allow no rows. */
static void test_holes(void **state)
{
	const off_t size = (off_t)1 << 40;
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "fleet.db");
	cleanup_(strbuf_done) struct strbuf file = STRBUF_INIT, reason = STRBUF_INIT;
	uint64_t count = 0;
	uint32_t root = make(path);

	assert_int_equal(fd_read_all_at(tree->fd, "fleet.db", &file, 1 << 20), 0);
	repeat_pages(&file, root);
	set_number(file.data + 28, (uint32_t)(size / PAGE));
	temp_tree_write(tree, "fleet.db", file.data, file.len);
	assert_int_equal(truncate(path, size), 0);
	assert_int_equal(scan(path, &count, &reason), -EIO);
	assert_string_equal(strbuf_str(&reason),
	                    "it is damaged: it has more rows or texts than its size allows");
}

/* Reads a number of SQLite, seven bits in each byte. */
static uint64_t read_varint(const char **at)
{
	uint64_t number = 0;
	unsigned char byte;

	do {
		byte = (unsigned char)*(*at)++;
		number = number << 7 | (byte & 0x7f);
	} while (byte & 0x80);
	return number;
}

/* Returns the place of the pointer to the rest of a row's texts, in a cell of a leaf; NULL if there is no rest. See "Cell Payload Overflow Pages" in SQLite's
 * file format. */
static char *overflow_of(char *page, uint32_t cell)
{
	const char *at = page + number_at(page + 8 + (size_t)2 * cell, 2);
	uint64_t total = read_varint(&at), least = (PAGE - 12) * 32 / 255 - 23, local;

	(void)read_varint(&at);
	local = least + (total - least) % (PAGE - 4);
	return total <= PAGE - 35 ? NULL
	                          : page + (at - page) + (local <= PAGE - 35 ? local : least);
}

/* All rows get the end of the first row's text; that of the others becomes a hole. */
static void share_text(struct strbuf *file, int fd, uint32_t leaf_type, uint32_t *first)
{
	for (uint32_t page = 2; page <= file->len / PAGE; page++) {
		char *bytes = page_at(file, page);
		uint32_t cells = bytes[0] == (char)leaf_type ? number_at(bytes + 3, 2) : 0;

		for (uint32_t cell = 0; cell < cells; cell++) {
			char *pointer = overflow_of(bytes, cell);
			uint32_t begin, end;

			/* A page that is free has old rows. */
			if (!pointer)
				continue;
			begin = end = number_at(pointer, 4);
			while (number_at(page_at(file, end), 4) == end + 1)
				end++;
			if (*first == 0) {
				*first = begin;
				continue;
			}
			assert_true(end > begin);
			set_number(pointer, *first);
			assert_int_equal(pwrite(fd, bytes, PAGE, (off_t)(page - 1) * PAGE), PAGE);
			assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			                           (off_t)(begin - 1) * PAGE,
			                           (off_t)(end - begin) * PAGE),
			                 0);
		}
	}
}

static int list(const char *path, struct strbuf *reason)
{
	cleanup_(database_freep) struct database *database =
	        database_open(path, DATABASE_READ, reason);
	cleanup_(database_list_done) struct database_list found = {0};
	int r;

	assert_non_null(database);
	r = database_list(database, &found);
	strbuf_add_str(reason, database_reason(database));
	return r;
}

/* The end of a long text may be that of many rows, which are then longer than the file. */
static void test_texts_of_several_rows(void **state)
{
	const struct temp_tree *tree = *state;
	cleanup_(mem_freep) char *path = temp_tree_path(tree, "fleet.db");
	cleanup_(strbuf_done) struct strbuf file = STRBUF_INIT, reason = STRBUF_INIT;
	cleanup_(fd_closep) int fd = -1;
	sqlite3 *handle = NULL;
	uint32_t first = 0;

	make(path);
	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	execute(handle,
	        "DELETE FROM snapshot; DELETE FROM grp; DELETE FROM metric;"
	        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) "
	        "INSERT INTO snapshot SELECT i, i, printf('%.*c', 100000, 'h'), 'b', 'k', '', "
	        "'window', 1, 1, 'none' FROM n");
	assert_int_equal(sqlite3_close(handle), SQLITE_OK);
	assert_int_equal(list(path, &reason), 0);
	assert_int_equal(fd_read_all_at(tree->fd, "fleet.db", &file, 1 << 26), 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	share_text(&file, fd, TYPE_LEAF_TABLE, &first);
	assert_int_equal(list(path, &reason), -EIO);
	assert_string_equal(strbuf_str(&reason),
	                    "it is damaged: it has more rows or texts than its size allows");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_schema_pages_of_several_parents,
	                                        temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_holes, temp_tree_setup, temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_texts_of_several_rows, temp_tree_setup,
	                                        temp_tree_teardown),
	        cmocka_unit_test_setup_teardown(test_pages_of_several_parents, temp_tree_setup,
	                                        temp_tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
