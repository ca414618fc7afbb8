/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* database-place - finds the file of a database, which only this user and root may choose: SQLite opens it by its path, and keeps its
 * journal beside it. */
#include "database/database.h"

/* Appends the path of the file without a symbolic link in it. Returns 0, or -errno with a sentence. */
must_check_ int database_find_place(const char *path, enum database_use use,
                                    struct strbuf *ret_path, struct strbuf *reterr);
