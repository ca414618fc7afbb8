// SPDX-License-Identifier: GPL-2.0-or-later
#include "database/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/regular-file.h"
#include "database-data.h"
#include "database-handle.h"
#include "database-place.h"
#include "database-schema.h"
#include "fleet/ddl.h"
#include "metric/units.h"

enum {
	APPLICATION_ID = 0x63747066,
	USER_VERSION = 3,
	WAIT_MS = 10 * 60 * 1000, /* for other writers */
	RETRY_MS = 20,
	CACHE_KIB = 128 * 1024,
	ROW_BYTES_MAX = 1024 * 1024,
};

static const char *const statement_texts[STATEMENT_COUNT] = {
        "SELECT id FROM snapshot WHERE digest = ?1",
        ("INSERT INTO snapshot (digest, host, boot_id, kernel, labels, kind, end_unix_ns, "
         "length_ns, ends) "
         "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"),
        ("SELECT 1 FROM snapshot_key k JOIN snapshot s ON s.id = k.snapshot "
         "WHERE s.digest = ?1 AND k.group_key = ?2"),
        "INSERT OR IGNORE INTO snapshot_key (snapshot, group_key) VALUES (?1, ?2)",
        "SELECT id FROM grp WHERE group_key = ?1 AND group_name = ?2",
        "INSERT INTO grp (group_key, group_name) VALUES (?1, ?2)",
        "SELECT id FROM metric WHERE name = ?1",
        "INSERT INTO metric (name, unit, type, rule) VALUES (?1, ?2, ?3, ?4)",
        "INSERT INTO fact VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        "SELECT group_key, group_name FROM grp WHERE id = ?1",
};

/* Mapping the -shm file may fail for want of memory as well, and is an error of I/O then. */
static bool has_no_memory(sqlite3 *handle)
{
	int code = sqlite3_errcode(handle);

	return code == SQLITE_NOMEM ||
	       (code == SQLITE_IOERR && (sqlite3_extended_errcode(handle) == SQLITE_IOERR_NOMEM ||
	                                 sqlite3_system_errno(handle) == ENOMEM));
}

int database_fail(struct database *database)
{
	if (has_no_memory(database->handle))
		mem_exhausted();
	strbuf_clear(&database->reason);
	if (database->files && database_files_refused(database->files))
		strbuf_add_str(&database->reason, "its journal names another file");
	else if (database->has_overworked)
		strbuf_add_str(&database->reason,
		               "it is damaged: it has more rows or texts than its size allows");
	else
		strbuf_add_str(&database->reason, sqlite3_errmsg(database->handle));
	return -EIO;
}

const char *database_reason(const struct database *database)
{
	if (database->engine)
		return database->engine->reason(database->engine);
	return strbuf_str(&database->reason);
}

static int execute(struct database *database, const char *text)
{
	return sqlite3_exec(database->handle, text, NULL, NULL, NULL) == SQLITE_OK
	               ? 0
	               : database_fail(database);
}

sqlite3_stmt *database_statement(struct database *database, enum statement id)
{
	sqlite3_stmt **stmt = &database->statements[id];

	if (!*stmt &&
	    sqlite3_prepare_v2(database->handle, statement_texts[id], -1, stmt, NULL) != SQLITE_OK)
		return NULL;
	sqlite3_reset(*stmt);
	return *stmt;
}

static int read_pragma(struct database *database, const char *text, int64_t *ret)
{
	sqlite3_stmt *stmt = NULL;
	int r = 0;

	if (sqlite3_prepare_v2(database->handle, text, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		*ret = sqlite3_column_int64(stmt, 0);
	else
		r = database_fail(database);
	sqlite3_finalize(stmt);
	return r;
}

static int use_up(void *context)
{
	struct database *database = context;

	database->has_overworked = database->work_left == 0;
	if (database->work_left > 0)
		database->work_left--;
	return database->has_overworked;
}

/* Limits what SQLite may do by the data in the file. It reads the list of tables before the first statement, which may be "PRAGMA
 * page_count". */
static void limit_by_data(struct database *database)
{
	/* A fact of a sound file takes more than 4 bytes, and a few dozen operations to find and to return; WORK_LEAST is for sorting and
	 * for small files. */
	enum { OPERATIONS_EACH = 10000, BYTE_OPERATIONS = 32, WORK_LEAST = 1024 };
	/* Each text is read once, those of groups again for each row that is printed. */
	enum { TEXT_TIMES = 8, TEXT_LEAST = 1 << 24 };

	database->data_bytes =
	        saturating_add(database_data_bytes(database->data_fd),
	                       database_data_wal_bytes(database_files_path(database->files)));
	database->has_overworked = false;
	database->text_left = TEXT_LEAST + saturating_multiply(database->data_bytes, TEXT_TIMES);
	database->work_left =
	        WORK_LEAST +
	        saturating_multiply(database->data_bytes, BYTE_OPERATIONS) / OPERATIONS_EACH;
	sqlite3_progress_handler(database->handle, OPERATIONS_EACH, use_up, database);
}

int database_limit_work(struct database *database)
{
	int64_t pages = 0, bytes = 0;
	int r;

	limit_by_data(database);
	r = read_pragma(database, "PRAGMA page_count", &pages);
	if (r == 0)
		r = read_pragma(database, "PRAGMA page_size", &bytes);
	if (r == 0 && (uint64_t)pages * (uint64_t)bytes < database->data_bytes)
		database->data_bytes = (uint64_t)pages * (uint64_t)bytes;
	return r;
}

bool database_count_text(struct database *database, size_t len)
{
	if (len > database->text_left)
		database->has_overworked = true;
	else
		database->text_left -= len;
	return !database->has_overworked;
}

static int check_tables(struct database *database)
{
	bool has = false;
	int r = database_has_tables(database->handle, &has);

	if (r == SQLITE_NOMEM)
		mem_exhausted();
	if (r != SQLITE_OK)
		return database_fail(database);
	if (has)
		return 0;
	strbuf_clear(&database->reason);
	strbuf_add_str(&database->reason, "it is no database of facts: its tables are others");
	return -EINVAL;
}

/* Makes the tables in an empty file, or checks that the file has them. */
static int check_schema(struct database *database, enum database_use use)
{
	int64_t id = 0, version = 0, pages = 0;
	int r = read_pragma(database, "PRAGMA application_id", &id);

	if (r == 0)
		r = read_pragma(database, "PRAGMA user_version", &version);
	if (r == 0)
		r = read_pragma(database, "SELECT count(*) FROM sqlite_schema", &pages);
	if (r < 0)
		return r;
	if (id == APPLICATION_ID && version == USER_VERSION)
		return check_tables(database);
	strbuf_clear(&database->reason);
	if (id == APPLICATION_ID)
		strbuf_addf(&database->reason,
		            "its version is %lld, and not %d: make it again with db add",
		            (long long)version, USER_VERSION);
	else if (id != 0 || pages != 0 || use == DATABASE_READ)
		strbuf_add_str(&database->reason, "it is no database of facts");
	if (database->reason.len > 0)
		return -EINVAL;
	r = execute(database, ddl_sqlite);
	if (r == 0)
		r = execute(database, "PRAGMA application_id = " STRINGIFY(0x63747066));
	return r == 0 ? execute(database, "PRAGMA user_version = 3") : r;
}

/* SQLite waits for other writers at no change of the journal, which a new database needs once. */
static int set_journal(struct database *database)
{
	uint64_t until_ns = clock_now_ns(CLOCK_MONOTONIC) + WAIT_MS * NS_PER_MS;

	for (;;) {
		int r = execute(database, "PRAGMA journal_mode = WAL");

		if (r == 0 || sqlite3_errcode(database->handle) != SQLITE_BUSY ||
		    clock_now_ns(CLOCK_MONOTONIC) >= until_ns)
			return r;
		sqlite3_sleep(RETRY_MS);
	}
}

static int set_up(struct database *database, enum database_use use)
{
	cleanup_(strbuf_done) struct strbuf cache = STRBUF_INIT;
	int r;

	sqlite3_busy_timeout(database->handle, WAIT_MS);
	sqlite3_limit(database->handle, SQLITE_LIMIT_LENGTH, ROW_BYTES_MAX);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(database->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	limit_by_data(database);
	strbuf_addf(&cache, "PRAGMA cell_size_check = ON; PRAGMA cache_size = -%d", CACHE_KIB);
	r = execute(database, strbuf_str(&cache));
	if (r == 0 && use == DATABASE_ADD)
		r = set_journal(database);
	if (r == 0 && use == DATABASE_ADD)
		r = execute(database, "PRAGMA synchronous = NORMAL");
	if (r == 0 && use == DATABASE_ADD)
		r = execute(database, "BEGIN IMMEDIATE");
	if (r == 0)
		r = check_schema(database, use);
	if (r == 0 && use == DATABASE_ADD)
		r = execute(database, "COMMIT");
	/* Additions are more work than the data allows. Queries have limits of their own. */
	sqlite3_progress_handler(database->handle, 0, NULL, NULL);
	return r;
}

/* Makes the file for its owner alone, if it is new: the mode that SQLite asks for is not masked in a directory with a default access
 * control list. The directory is one in which nobody else may write. Without the file SQLite says why. */
static void make_file(const char *path)
{
	cleanup_(fd_closep) int fd =
	        open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);

	(void)fd;
}

struct database *database_open(const char *path, enum database_use use, struct strbuf *reterr)
{
	cleanup_(database_freep) struct database *database = NULL;
	cleanup_(strbuf_done) struct strbuf real = STRBUF_INIT;
	int flags = SQLITE_OPEN_NOFOLLOW |
	            (use == DATABASE_ADD ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
	                                 : SQLITE_OPEN_READWRITE);
	mode_t mask;
	int r;

	if (database_find_place(path, use, &real, reterr) < 0)
		return NULL;
	database = mem_calloc(1, sizeof(*database));
	database->files = database_files_new(strbuf_str(&real));
	if (use == DATABASE_ADD)
		make_file(strbuf_str(&real));
	database->data_fd = regular_file_open_link(AT_FDCWD, strbuf_str(&real), FILE_SYSTEMS_ALL);
	mask = umask(S_IRWXG | S_IRWXO);
	r = sqlite3_open_v2(strbuf_str(&real), &database->handle, flags,
	                    database_files_name(database->files));
	if (r == SQLITE_OK)
		r = set_up(database, use);
	else
		database_fail(database);
	umask(mask);
	if (r != 0) {
		strbuf_add_str(reterr, database_reason(database));
		return NULL;
	}
	return take_ptr(database);
}

struct database *database_new(struct database_engine *engine)
{
	struct database *database = mem_calloc(1, sizeof(*database));

	database->engine = engine;
	database->data_fd = -1;
	return database;
}

void database_freep(struct database **pointer)
{
	struct database *database = *pointer;

	if (!database)
		return;
	if (database->engine)
		database->engine->free(database->engine);
	for (unsigned i = 0; i < STATEMENT_COUNT; i++)
		sqlite3_finalize(database->statements[i]);
	sqlite3_close(database->handle);
	fd_closep(&database->data_fd);
	database_files_freep(&database->files);
	strbuf_done(&database->digest);
	strbuf_done(&database->key);
	strbuf_done(&database->name);
	strbuf_done(&database->reason);
	free(database);
	*pointer = NULL;
}

int database_begin(struct database *database)
{
	int r = execute(database, "BEGIN IMMEDIATE");

	database->is_open = r == 0;
	/* Others may have added groups and metrics meanwhile; their ids stay. */
	database->snapshot = database->group = 0;
	strbuf_clear(&database->digest);
	strbuf_clear(&database->key);
	strbuf_clear(&database->name);
	return r;
}

int database_commit(struct database *database)
{
	int r = execute(database, "COMMIT");

	database->is_open = r < 0;
	return r;
}

void database_cancel(struct database *database)
{
	if (database->is_open)
		sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
	database->is_open = false;
	/* Those that the transaction made are gone. */
	memset(database->metrics, 0, sizeof(database->metrics));
}

void database_bind_text(sqlite3_stmt *stmt, int place, struct span text)
{
	if (sqlite3_bind_text(stmt, place, text.text, (int)text.len, SQLITE_TRANSIENT) != SQLITE_OK)
		mem_exhausted();
}

int database_has(struct database *database, const char *digest, struct span keys, bool *ret_has)
{
	sqlite3_stmt *stmt = database_statement(database, STATEMENT_HAS_KEY);
	int r;

	if (!stmt)
		return database_fail(database);
	database_bind_text(stmt, 1, (struct span){digest, strlen(digest)});
	database_bind_text(stmt, 2, keys);
	r = sqlite3_step(stmt);
	if (r != SQLITE_ROW && r != SQLITE_DONE)
		return database_fail(database);
	*ret_has = r == SQLITE_ROW;
	sqlite3_reset(stmt);
	return 0;
}

/* A number above 2^63-1 is the text of its digits. */
static void bind_integer(sqlite3_stmt *stmt, int place, __int128 integer)
{
	cleanup_(strbuf_done) struct strbuf digits = STRBUF_INIT;

	if (integer >= INT64_MIN && integer <= INT64_MAX) {
		sqlite3_bind_int64(stmt, place, (int64_t)integer);
		return;
	}
	units_format_integer(integer, &digits);
	database_bind_text(stmt, place, (struct span){strbuf_str(&digits), digits.len});
}

static void bind_cell(sqlite3_stmt *stmt, int place, const struct fleet_row *row,
                      enum fleet_column column)
{
	const struct fleet_cell *cell = &row->cells[column];

	if (cell->kind == FLEET_CELL_INTEGER)
		bind_integer(stmt, place, cell->integer);
	else if (cell->kind == FLEET_CELL_TEXT)
		database_bind_text(stmt, place, cell->text);
	else
		sqlite3_bind_null(stmt, place);
}

static int insert(struct database *database, sqlite3_stmt *stmt, int64_t *ret_id)
{
	if (sqlite3_step(stmt) != SQLITE_DONE)
		return database_fail(database);
	if (ret_id)
		*ret_id = sqlite3_last_insert_rowid(database->handle);
	return 0;
}

/* Finds a row by some of these columns, or adds it with all of them. */
static int find_or_add(struct database *database, const struct fleet_row *row, enum statement find,
                       const enum fleet_column *columns, int find_count, int add_count,
                       int64_t *ret_id)
{
	sqlite3_stmt *stmt = database_statement(database, find);
	int r;

	if (!stmt)
		return database_fail(database);
	for (int i = 0; i < find_count; i++)
		bind_cell(stmt, i + 1, row, columns[i]);
	r = sqlite3_step(stmt);
	if (r == SQLITE_ROW) {
		*ret_id = sqlite3_column_int64(stmt, 0);
		sqlite3_reset(stmt);
		return 0;
	}
	if (r != SQLITE_DONE)
		return database_fail(database);
	/* The statement that adds is behind the one that finds. */
	stmt = database_statement(database, find + 1);
	if (!stmt)
		return database_fail(database);
	for (int i = 0; i < add_count; i++)
		bind_cell(stmt, i + 1, row, columns[i]);
	return insert(database, stmt, ret_id);
}

static bool is_same(const struct strbuf *kept, struct span text)
{
	return kept->len == text.len && text.len > 0 &&
	       memcmp(kept->data, text.text, text.len) == 0;
}

static void keep(struct strbuf *kept, struct span text)
{
	strbuf_clear(kept);
	strbuf_add(kept, text.text, text.len);
}

static int use_snapshot(struct database *database, const struct fleet_row *row)
{
	static const enum fleet_column columns[] = {
	        FLEET_COLUMN_snapshot,    FLEET_COLUMN_host,      FLEET_COLUMN_boot_id,
	        FLEET_COLUMN_kernel,      FLEET_COLUMN_labels,    FLEET_COLUMN_kind,
	        FLEET_COLUMN_end_unix_ns, FLEET_COLUMN_length_ns, FLEET_COLUMN_ends,
	};
	struct span digest = row->cells[FLEET_COLUMN_snapshot].text;
	struct span key = row->cells[FLEET_COLUMN_group_key].text;
	sqlite3_stmt *stmt;
	int r = 0;

	if (!is_same(&database->digest, digest))
		r = find_or_add(database, row, STATEMENT_FIND_SNAPSHOT, columns, 1,
		                ARRAY_SIZE(columns), &database->snapshot);
	if (r < 0 || (is_same(&database->digest, digest) && is_same(&database->key, key)))
		return r;
	stmt = database_statement(database, STATEMENT_ADD_KEY);
	if (!stmt)
		return database_fail(database);
	sqlite3_bind_int64(stmt, 1, database->snapshot);
	bind_cell(stmt, 2, row, FLEET_COLUMN_group_key);
	keep(&database->digest, digest);
	return insert(database, stmt, NULL);
}

static int use_group(struct database *database, const struct fleet_row *row)
{
	static const enum fleet_column columns[] = {FLEET_COLUMN_group_key,
	                                            FLEET_COLUMN_group_name};
	struct span key = row->cells[FLEET_COLUMN_group_key].text;
	struct span name = row->cells[FLEET_COLUMN_group_name].text;

	if (database->group != 0 && is_same(&database->key, key) && is_same(&database->name, name))
		return 0;
	keep(&database->key, key);
	keep(&database->name, name);
	return find_or_add(database, row, STATEMENT_FIND_GROUP, columns, 2, 2, &database->group);
}

static int use_metric(struct database *database, const struct fleet_row *row, int64_t *ret_id)
{
	static const enum fleet_column columns[] = {FLEET_COLUMN_metric, FLEET_COLUMN_unit,
	                                            FLEET_COLUMN_type, FLEET_COLUMN_rule};
	struct span name = row->cells[FLEET_COLUMN_metric].text;
	enum metric_id metric;
	int r = 0;

	if (!metric_find(name.text, name.len, &metric))
		return -EINVAL;
	if (database->metrics[metric] == 0)
		r = find_or_add(database, row, STATEMENT_FIND_METRIC, columns, 1,
		                ARRAY_SIZE(columns), &database->metrics[metric]);
	*ret_id = database->metrics[metric];
	return r;
}

static int add_row(struct fleet_sink *sink, const struct fleet_row *row)
{
	static const enum fleet_column columns[] = {
	        FLEET_COLUMN_threads,
	        FLEET_COLUMN_seen,
	        FLEET_COLUMN_exited,
	        FLEET_COLUMN_sum,
	        FLEET_COLUMN_square_sum_high,
	        FLEET_COLUMN_square_sum_low,
	        FLEET_COLUMN_min,
	        FLEET_COLUMN_max,
	        FLEET_COLUMN_histogram,
	        FLEET_COLUMN_rated,
	};
	struct database *database = (struct database *)sink;
	sqlite3_stmt *stmt;
	int64_t metric = 0;
	int r = use_snapshot(database, row);

	if (r == 0)
		r = use_group(database, row);
	if (r == 0)
		r = use_metric(database, row, &metric);
	if (r < 0)
		return r;
	stmt = database_statement(database, STATEMENT_ADD_FACT);
	if (!stmt)
		return database_fail(database);
	sqlite3_bind_int64(stmt, 1, database->snapshot);
	sqlite3_bind_int64(stmt, 2, database->group);
	sqlite3_bind_int64(stmt, 3, metric);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		bind_cell(stmt, (int)i + 4, row, columns[i]);
	return insert(database, stmt, NULL);
}

struct fleet_sink *database_sink(struct database *database)
{
	database->sink.row = add_row;
	return &database->sink;
}
