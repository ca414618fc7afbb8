/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* db-check - what `ctprof db check` does. Both return an exit code, with errors printed. */
#include <stdbool.h>
#include <stdint.h>

#include "shards/shards-address.h"

/* Looks for damage in a file of SQLite, which has all facts of a snapshot or none. */
int db_check_file(const char *path);

/* Prints the files of which servers have lost facts, and with @removes takes their rows out, so that they can be added again: EXIT_DONE
 * if none is left that counts as added. A server has @patience_ns for that. */
int db_check_servers(const struct shards_address *address, bool removes, uint64_t patience_ns);
