/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* database-files - the only files that SQLite opens and removes: the database, its journal and its write-ahead log. A database from
 * a stranger may bring a journal that names another file, which SQLite would remove (the "super-journal" of a transaction over
 * several databases). */
#include <sqlite3.h>
#include <stdbool.h>

struct database_files;

/* Makes the interface to the system for the database at @path, an absolute path without symbolic links. Free it with
 * database_files_freep(), after the handle is closed. */
struct database_files *database_files_new(const char *path);
void database_files_freep(struct database_files **files);

/* Returns the name of the interface, for sqlite3_open_v2(). Borrowed. */
const char *database_files_name(const struct database_files *files);

/* Returns the path of the database. Borrowed. */
const char *database_files_path(const struct database_files *files);

/* Returns whether another file was asked for. */
bool database_files_refused(const struct database_files *files);
