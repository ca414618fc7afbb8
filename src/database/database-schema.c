// SPDX-License-Identifier: GPL-2.0-or-later
#include "database-schema.h"

#include "ctprof/base/macro.h"
#include "fleet/ddl.h"

static void close_handle(sqlite3 **handle)
{
	sqlite3_close(*handle);
}

static void finalize(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}

/* Looks for the table of the row that @model is at. */
static int find_table(sqlite3_stmt *model, sqlite3_stmt *found)
{
	int r = sqlite3_reset(found);

	for (int column = 0; r == SQLITE_OK && column < 2; column++)
		r = sqlite3_bind_value(found, column + 1, sqlite3_column_value(model, column));
	return r == SQLITE_OK ? sqlite3_step(found) : r;
}

int database_has_tables(sqlite3 *handle, bool *ret_has)
{
	static const char all[] = "SELECT name, sql FROM sqlite_schema WHERE type = 'table'";
	static const char one[] = "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' "
	                          "AND name = ?1 AND tbl_name = ?1 AND sql = ?2";
	cleanup_(close_handle) sqlite3 *empty = NULL;
	cleanup_(finalize) sqlite3_stmt *model = NULL;
	cleanup_(finalize) sqlite3_stmt *found = NULL;
	int r = sqlite3_open_v2(":memory:", &empty, SQLITE_OPEN_READWRITE, NULL);

	if (r == SQLITE_OK)
		r = sqlite3_exec(empty, ddl_sqlite, NULL, NULL, NULL);
	if (r == SQLITE_OK)
		r = sqlite3_prepare_v2(empty, all, -1, &model, NULL);
	if (r != SQLITE_OK)
		return SQLITE_NOMEM;
	r = sqlite3_prepare_v2(handle, one, -1, &found, NULL);
	if (r != SQLITE_OK)
		return r;
	*ret_has = true;
	while (*ret_has && (r = sqlite3_step(model)) == SQLITE_ROW) {
		r = find_table(model, found);
		if (r != SQLITE_ROW && r != SQLITE_DONE)
			return r;
		*ret_has = r == SQLITE_ROW;
	}
	return r == SQLITE_NOMEM ? r : SQLITE_OK;
}
