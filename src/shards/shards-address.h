/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* shards-address - the servers of ClickHouse that --db names. */
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"

struct shards_address {
	char **hosts; /* HOST:PORT, in the order of their bytes; owned */
	size_t count, capacity;
	char *database; /* a name that needs no quotes; owned */
};

/* Returns whether @text begins with clickhouse:// and so is no path. */
bool shards_is_address(const char *text);

/* Reads clickhouse://HOST[:PORT][,HOST[:PORT]]...[/DATABASE]; the port of HTTP is 8123, and the database is DDL_DATABASE if they are not
 * given. Returns 0, or -EINVAL with a sentence that has no part of @text: there may be a password in it. */
must_check_ int shards_address_parse(const char *text, struct shards_address *ret,
                                     struct strbuf *reterr);
/* For cleanup_(shards_address_done). */
void shards_address_done(struct shards_address *address);

/* Returns the place of the server that has the file with this hash: of all servers it has the largest hash of both names. It depends on
 * no order, and one server more takes its part of the files from each of the others. */
size_t shards_address_of(const struct shards_address *address, const char *digest);
