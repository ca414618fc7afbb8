// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strmap.h"
#include "base/text.h"
#include "database-handle.h"
#include "database/database-lister.h"

enum { METRIC_IDS = 4096 };

/* Returns an empty text, and marks the database as damaged, if the file has no data for so many texts. */
static const char *text_of(struct database *database, sqlite3_stmt *stmt, int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);

	/* That would be another name. */
	if (!text && sqlite3_errcode(sqlite3_db_handle(stmt)) == SQLITE_NOMEM)
		mem_exhausted();
	if (!text || !database_count_text(database, (size_t)sqlite3_column_bytes(stmt, column)))
		return "";
	return (const char *)text;
}

static void add_snapshot(struct database *database, struct database_lister *lister,
                         sqlite3_stmt *stmt)
{
	int64_t id = sqlite3_column_int64(stmt, 0);
	const char *digest = text_of(database, stmt, 5), *ends = text_of(database, stmt, 6);

	/* SQLite counts ids from 1 on. */
	if (id < 0 || id > INT32_MAX)
		return;
	database_lister_add(lister, (size_t)id,
	                    &(struct database_listed){
	                            .host = text_of(database, stmt, 1),
	                            .digest = {digest, strlen(digest)},
	                            .is_window = strcmp(text_of(database, stmt, 2), "window") == 0,
	                            .end_unix_ns = (uint64_t)sqlite3_column_int64(stmt, 3),
	                            .length_ns = (uint64_t)sqlite3_column_int64(stmt, 4),
	                            .ends = {ends, strlen(ends)},
	                    });
}

static int list_files(struct database *database, struct database_list *list)
{
	static const char text[] =
	        "SELECT id, coalesce(host, 'boot ' || boot_id, 'file ' || "
	        "digest), kind, end_unix_ns, "
	        "coalesce(length_ns, 0), digest, coalesce(ends, '') FROM snapshot ORDER BY id";
	struct database_lister lister = {.list = list, .hosts = STRMAP_INIT};
	sqlite3_stmt *stmt = NULL;
	int r;

	r = sqlite3_prepare_v2(database->handle, text, -1, &stmt, NULL);
	while ((r == SQLITE_OK || r == SQLITE_ROW) && !database->has_overworked) {
		r = sqlite3_step(stmt);
		if (r == SQLITE_ROW)
			add_snapshot(database, &lister, stmt);
	}
	r = r == SQLITE_DONE && !database->has_overworked ? 0 : database_fail(database);
	sqlite3_finalize(stmt);
	database_lister_finish(&lister);
	return r;
}

static void add_metric(struct database *database, struct database_list *list, size_t *capacity,
                       sqlite3_stmt *stmt)
{
	int64_t id = sqlite3_column_int64(stmt, 0);
	const char *name = text_of(database, stmt, 1);

	/* No registry has as many. */
	if (id < 0 || id > METRIC_IDS)
		return;
	while (list->metric_count <= (size_t)id)
		*array_add(list->metrics, list->metric_count, *capacity) = NULL;
	free(list->metrics[id]);
	list->metrics[id] = mem_copy(name, strlen(name));
}

static int list_metrics(struct database *database, struct database_list *list)
{
	static const char text[] = "SELECT id, name FROM metric WHERE rule = 'sum' ORDER BY id";
	sqlite3_stmt *stmt = NULL;
	size_t capacity = 0;
	int r;

	r = sqlite3_prepare_v2(database->handle, text, -1, &stmt, NULL);
	while ((r == SQLITE_OK || r == SQLITE_ROW) && !database->has_overworked) {
		r = sqlite3_step(stmt);
		if (r == SQLITE_ROW)
			add_metric(database, list, &capacity, stmt);
	}
	r = r == SQLITE_DONE && !database->has_overworked ? 0 : database_fail(database);
	sqlite3_finalize(stmt);
	return r;
}

int database_list(struct database *database, struct database_list *ret)
{
	int r;

	if (database->engine)
		return database->engine->list(database->engine, ret);
	*ret = (struct database_list){0};
	r = database_limit_work(database);
	if (r == 0)
		r = list_files(database, ret);
	return r == 0 ? list_metrics(database, ret) : r;
}

/* A page that cannot be read for want of memory is in the text of the check as well. */
static bool lacks_memory(const char *found)
{
	static const char words[] = "error code=";
	const char *at = strstr(found, words);
	long code = at ? strtol(at + strlen(words), NULL, 10) : 0;

	return code == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM;
}

int database_check(struct database *database)
{
	sqlite3_stmt *stmt = NULL;
	const char *found;
	int r;

	/* A page that is the child of two is found before it is read twice. */
	sqlite3_progress_handler(database->handle, 0, NULL, NULL);
	r = sqlite3_prepare_v2(database->handle, "PRAGMA integrity_check(1)", -1, &stmt, NULL);
	if (r == SQLITE_OK)
		r = sqlite3_step(stmt);
	if (r != SQLITE_ROW) {
		r = database_fail(database);
	} else {
		found = (const char *)sqlite3_column_text(stmt, 0);
		if (!found || lacks_memory(found))
			mem_exhausted();
		r = strcmp(found, "ok") == 0 ? 0 : -EIO;
		if (r < 0) {
			strbuf_clear(&database->reason);
			strbuf_add_str(&database->reason, "it is damaged: ");
			text_add_escaped(&database->reason, found, strcspn(found, "\n"));
		}
	}
	sqlite3_finalize(stmt);
	return r;
}

void database_list_done(struct database_list *list)
{
	for (size_t i = 0; i < list->host_count; i++)
		free(list->hosts[i]);
	free(list->hosts);
	for (size_t i = 0; i < list->metric_count; i++)
		free(list->metrics[i]);
	free(list->metrics);
	free(list->snapshots);
	*list = (struct database_list){0};
}

int database_scan_labels(struct database *database, const char *group_key,
                         void (*visit)(void *context, const struct database_labels *labels),
                         void *context)
{
	static const char text[] =
	        "SELECT s.id, coalesce(s.boot_id, ''), s.labels FROM snapshot s JOIN snapshot_key "
	        "k ON k.snapshot = s.id AND k.group_key = ?1 WHERE s.kind = 'window' ORDER BY s.id";
	sqlite3_stmt *stmt = NULL;
	int r;

	if (database->engine)
		return database->engine->scan_labels(database->engine, group_key, visit, context);
	r = database_limit_work(database);
	if (r < 0)
		return r;
	r = sqlite3_prepare_v2(database->handle, text, -1, &stmt, NULL);
	if (r == SQLITE_OK)
		database_bind_text(stmt, 1, (struct span){group_key, strlen(group_key)});
	while ((r == SQLITE_OK || r == SQLITE_ROW) && !database->has_overworked) {
		r = sqlite3_step(stmt);
		if (r == SQLITE_ROW)
			visit(context, &(struct database_labels){
			                       .snapshot = (size_t)sqlite3_column_int64(stmt, 0),
			                       .boot_id = text_of(database, stmt, 1),
			                       .json = text_of(database, stmt, 2)});
	}
	r = r == SQLITE_DONE && !database->has_overworked ? 0 : database_fail(database);
	sqlite3_finalize(stmt);
	return r;
}

static bool is_number(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) != SQLITE_NULL;
}

/* A text has the digits of an integer above 2^63-1, which strtod() rounds right and SQLite may not. */
static double number_of(sqlite3_stmt *stmt, int column)
{
	const unsigned char *digits = sqlite3_column_type(stmt, column) == SQLITE_TEXT
	                                      ? sqlite3_column_text(stmt, column)
	                                      : NULL;

	return digits ? strtod((const char *)digits, NULL) : sqlite3_column_double(stmt, column);
}

static void visit_row(sqlite3_stmt *stmt, const struct database_list *list,
                      void (*visit)(void *context, const struct database_fact *fact), void *context)
{
	struct database_fact fact = {
	        .group = sqlite3_column_int64(stmt, 0),
	        .snapshot = (size_t)sqlite3_column_int64(stmt, 1),
	        .metric = (size_t)sqlite3_column_int64(stmt, 2),
	        .threads = (uint64_t)sqlite3_column_int64(stmt, 3),
	        .seen = (uint64_t)sqlite3_column_int64(stmt, 4),
	        .has_sum = is_number(stmt, 5),
	        .sum = number_of(stmt, 5),
	        .has_exited = is_number(stmt, 6),
	        .exited = number_of(stmt, 6),
	        .has_rated = is_number(stmt, 7),
	        .rated = number_of(stmt, 7),
	};

	if (fact.snapshot < list->snapshot_count && fact.metric < list->metric_count &&
	    list->metrics[fact.metric])
		visit(context, &fact);
}

/* Makes a table of the files that are wanted, in memory. */
static int choose(struct database *database, const struct database_list *list,
                  const unsigned char *uses)
{
	static const char make[] =
	        "PRAGMA temp_store = MEMORY;"
	        "CREATE TEMP TABLE IF NOT EXISTS chosen (id INTEGER PRIMARY KEY);"
	        "DELETE FROM temp.chosen";
	sqlite3_stmt *stmt = NULL;
	int r = sqlite3_exec(database->handle, make, NULL, NULL, NULL);

	if (r == SQLITE_OK)
		r = sqlite3_prepare_v2(database->handle, "INSERT INTO temp.chosen VALUES (?1)", -1,
		                       &stmt, NULL);
	for (size_t i = 0; r == SQLITE_OK && i < list->snapshot_count; i++) {
		if (uses[i] == 0)
			continue;
		sqlite3_bind_int64(stmt, 1, (int64_t)i);
		r = sqlite3_step(stmt) == SQLITE_DONE ? sqlite3_reset(stmt) : SQLITE_ERROR;
	}
	r = r == SQLITE_OK ? 0 : database_fail(database);
	sqlite3_finalize(stmt);
	return r;
}

static struct span span_of(const char *text)
{
	return (struct span){text, text ? strlen(text) : 0};
}

static void bind_filter(sqlite3_stmt *stmt, const struct database_filter *filter)
{
	if (!filter)
		return;
	database_bind_text(stmt, 1, span_of(filter->group_key));
	database_bind_text(stmt, 2, span_of(filter->group_name));
}

/* Stores the first number of the first row. @filter's conditions are ?1 and ?2. */
static int read_number(struct database *database, const char *text,
                       const struct database_filter *filter, uint64_t *ret)
{
	sqlite3_stmt *stmt = NULL;
	int r = sqlite3_prepare_v2(database->handle, text, -1, &stmt, NULL);

	if (r == SQLITE_OK) {
		bind_filter(stmt, filter);
		r = sqlite3_step(stmt);
	}
	if (r == SQLITE_ROW)
		*ret = (uint64_t)sqlite3_column_int64(stmt, 0);
	r = r == SQLITE_ROW ? 0 : database_fail(database);
	sqlite3_finalize(stmt);
	return r;
}

#define OF_FILTER "(?1 IS NULL OR g.group_key = ?1) AND (?2 IS NULL OR g.group_name = ?2)"

/* Makes a table of the groups that are asked about, in memory. Their places are in the order of their keys and names, in which the index
 * of the table has them. */
static int rank_groups(struct database *database, const struct database_filter *filter)
{
	static const char make[] = "CREATE TEMP TABLE IF NOT EXISTS ranked "
	                           "(place INTEGER PRIMARY KEY, id INTEGER UNIQUE);"
	                           "DELETE FROM temp.ranked";
	static const char fill[] =
	        "INSERT OR IGNORE INTO temp.ranked (id) SELECT g.id FROM grp g WHERE " OF_FILTER
	        " ORDER BY g.group_key, g.group_name";
	sqlite3_stmt *stmt = NULL;
	int r = sqlite3_exec(database->handle, make, NULL, NULL, NULL);

	if (r == SQLITE_OK)
		r = sqlite3_prepare_v2(database->handle, fill, -1, &stmt, NULL);
	if (r == SQLITE_OK) {
		bind_filter(stmt, filter);
		r = sqlite3_step(stmt) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
	}
	r = r == SQLITE_OK ? 0 : database_fail(database);
	sqlite3_finalize(stmt);
	return r;
}

/* Stores whether most groups are in a few files only, so that most lookups of a group in a file would find nothing. */
static int is_sparse(struct database *database, const struct database_filter *filter,
                     const struct database_list *list, const unsigned char *uses, bool *ret)
{
	/* A row takes more bytes than that. */
	enum { FACT_BYTES = 4 };
	uint64_t groups = 0, files = 0;
	int r = read_number(database, "SELECT count(*) FROM grp g WHERE " OF_FILTER, filter,
	                    &groups);

	for (size_t i = 0; i < list->snapshot_count; i++)
		files += uses[i] != 0;
	*ret = groups > 0 && files > database->data_bytes / FACT_BYTES / groups;
	return r;
}

/* Each group is looked up in each file, where its facts are together: nothing is sorted, and only one group is in memory. The
 * facts are sorted instead if there are fewer of them than such lookups: a file from a stranger may have as many files as
 * groups, and one fact for each. A condition that is not given is NULL. */
int database_scan(struct database *database, const struct database_filter *filter,
                  const struct database_list *list, const unsigned char *uses,
                  void (*visit)(void *context, const struct database_fact *fact), void *context)
{
	static const char columns[] =
	        "SELECT f.grp, f.snapshot, f.metric, f.threads, f.seen, f.sum, f.exited, "
	        "f.rated FROM ";
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	sqlite3_stmt *stmt = NULL;
	bool sparse = false;
	int r;

	if (database->engine)
		return database->engine->scan(database->engine, filter, list, uses, visit, context);
	r = database_limit_work(database);
	if (r == 0)
		r = choose(database, list, uses);
	if (r == 0)
		r = rank_groups(database, filter);
	if (r == 0)
		r = is_sparse(database, filter, list, uses, &sparse);
	if (r < 0)
		return r;
	strbuf_add_str(&text, columns);
	strbuf_add_str(&text, sparse ? "temp.chosen c CROSS JOIN fact f CROSS JOIN temp.ranked g"
	                             : "temp.ranked g CROSS JOIN temp.chosen c CROSS JOIN fact f");
	strbuf_add_str(&text, " WHERE f.snapshot = c.id AND f.grp = g.id");
	if (filter->metric)
		strbuf_add_str(&text, " AND f.metric = (SELECT id FROM metric WHERE name = ?1)");
	if (sparse)
		strbuf_add_str(&text, " ORDER BY g.place, f.snapshot, f.metric");
	r = sqlite3_prepare_v2(database->handle, strbuf_str(&text), -1, &stmt, NULL);
	if (r == SQLITE_OK && filter->metric)
		database_bind_text(stmt, 1, span_of(filter->metric));
	while (r == SQLITE_OK || r == SQLITE_ROW) {
		r = sqlite3_step(stmt);
		if (r == SQLITE_ROW)
			visit_row(stmt, list, visit, context);
	}
	r = r == SQLITE_DONE ? 0 : database_fail(database);
	sqlite3_finalize(stmt);
	return r;
}

int database_add_group(struct database *database, int64_t group, struct strbuf *key,
                       struct strbuf *name)
{
	sqlite3_stmt *stmt;
	int r = SQLITE_ERROR;

	if (database->engine)
		return database->engine->add_group(database->engine, group, key, name);
	stmt = database_statement(database, STATEMENT_GROUP_NAME);
	if (stmt) {
		sqlite3_bind_int64(stmt, 1, group);
		r = sqlite3_step(stmt);
	}
	if (r == SQLITE_ROW) {
		strbuf_add_str(key, text_of(database, stmt, 0));
		strbuf_add_str(name, text_of(database, stmt, 1));
	}
	r = (r == SQLITE_ROW || r == SQLITE_DONE) && !database->has_overworked
	            ? 0
	            : database_fail(database);
	sqlite3_reset(stmt);
	return r;
}
