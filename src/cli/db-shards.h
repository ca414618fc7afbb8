/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* db-shards - what `ctprof db` does with servers of ClickHouse. */
#include "export/export-file.h"
#include "shards/shards-address.h"

/* Numbers of files: those that a call has added, those that were there, and those that failed. */
struct db_added {
	size_t added, there, failed;
};

/* Adds files; @paths ends with NULL. A server that does not answer is asked again for @patience_ns. Returns 0 or -errno with the error
 * printed if nothing could begin. */
must_check_ int db_shards_add(const struct shards_address *address, const struct export_plan *plan,
                              uint64_t patience_ns, char **paths, struct db_added *ret);
