/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* database-data - how much a file holds. Its size says nothing: holes cost nothing, and a file from a stranger may have as many as it
 * likes. */
#include <stdint.h>

/* Returns the bytes of the open file that are not in holes (SEEK_DATA, lseek(2)), all of them on a file system that does not know its
 * holes; 0 if there is no such file (@fd < 0). Moves the position. */
uint64_t database_data_bytes(int fd);

/* Returns the bytes of the journal of committed pages (-wal) beside the database @path, 0 if there is none. */
uint64_t database_data_wal_bytes(const char *path);
