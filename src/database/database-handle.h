/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* database-handle - an open database, for the files of this room. */
#include <sqlite3.h>

#include "ctprof/metric/metric.h"
#include "database-files.h"
#include "database/database.h"

enum statement {
	STATEMENT_FIND_SNAPSHOT,
	STATEMENT_ADD_SNAPSHOT,
	STATEMENT_HAS_KEY,
	STATEMENT_ADD_KEY,
	STATEMENT_FIND_GROUP,
	STATEMENT_ADD_GROUP,
	STATEMENT_FIND_METRIC,
	STATEMENT_ADD_METRIC,
	STATEMENT_ADD_FACT,
	STATEMENT_GROUP_NAME,
	STATEMENT_COUNT,
};

struct database {
	struct fleet_sink sink; /* must stay the first member */
	struct database_engine *
	        engine; /* owned; it has the facts, and nothing below is used; NULL: SQLite has them */
	struct database_files *files;              /* owned; of the handle */
	sqlite3 *handle;                           /* owned */
	sqlite3_stmt *statements[STATEMENT_COUNT]; /* owned; NULL until they are used */
	bool is_open;                              /* there is a transaction */
	int64_t snapshot, group;                   /* ids of the rows that are being added */
	struct strbuf digest, key, name;           /* their texts */
	int64_t metrics[METRIC_COUNT];             /* ids; 0: not known */
	struct strbuf reason;
	int data_fd; /* the file again, to know its holes; closed behind SQLite's, whose locks end with any of them */
	uint64_t data_bytes; /* of the file and its -wal, see database_limit_work() */
	uint64_t text_left;  /* bytes of texts that may be read */
	uint64_t work_left;  /* see database_limit_work(); 0: there is no limit, or it is used up */
	bool has_overworked;
};

/* Keeps SQLite's reason. Returns -EIO. */
int database_fail(struct database *database);

/* Binds a text, which is copied; without its address it is NULL. Ends the program if there is no memory for it: SQLite would take NULL
 * for the text. */
void database_bind_text(sqlite3_stmt *stmt, int place, struct span text);

/* Limits what SQLite may do from now on, and the bytes of texts, to a multiple of the data in the file. Pages of a file from a stranger
 * may be children of several pages, and the file then has more rows than its size allows; the end of a long text may be that of
 * several. Stores data_bytes. Returns 0 or -EIO. */
must_check_ int database_limit_work(struct database *database);

/* Counts a text that was read. Returns false if the file has no data for so much; database_fail() says so then. */
must_check_ bool database_count_text(struct database *database, size_t len);

/* Returns a statement that is ready to be bound, or NULL. */
sqlite3_stmt *database_statement(struct database *database, enum statement id);
