/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* database-schema - a file may call anything a table: a virtual one with code of its own behind it, or one with computed columns. Only
 * tables that were made by the text of ddl_sqlite are used. */
#include <sqlite3.h>
#include <stdbool.h>

/* Stores whether the database has each of the tables with the very same text. Returns a code of SQLite, whose reason is that of
 * the handle unless it is SQLITE_NOMEM. */
int database_has_tables(sqlite3 *handle, bool *ret_has);
