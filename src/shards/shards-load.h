/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* shards-load - adds the facts of files to servers of ClickHouse, each file once.
 *
 * Debian's ClickHouse has no transactions and does not remove duplicates of a plain MergeTree. So each try to add a file has a number of its
 * own, the load, which is in all its facts; and a row of the table file, which names the load, is written when the server has
 * all facts. Facts of a load that no such row names are not counted: they are of a try that did not end. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/fleet-row.h"
#include "shards/shards-address.h"

struct shards_loader;

/* @address is borrowed. A server that does not answer is asked for @patience_ns again. Returns NULL with a sentence. */
must_check_ struct shards_loader *shards_loader_new(const struct shards_address *address,
                                                    uint64_t patience_ns, struct strbuf *reterr);
void shards_loader_freep(struct shards_loader **loader);

/* Begins a file, and asks its server which sets of keys are there. Returns 0; or -EIO if the server has failed, which
 * shards_loader_failure() describes, and the file counts as lost there. */
must_check_ int shards_loader_begin(struct shards_loader *loader, const char *digest);

/* Returns whether the facts of this set of keys are there, or in memory, from an earlier file. */
bool shards_loader_has(const struct shards_loader *loader, struct span keys);

/* A sink for rows of groups of the file. */
struct fleet_sink *shards_loader_sink(struct shards_loader *loader);

/* Ends the file; shards_loader_cancel() drops it instead. Facts are kept in memory until there are enough for a request: then all other
 * work waits until the server has them. */
void shards_loader_end(struct shards_loader *loader);
void shards_loader_cancel(struct shards_loader *loader);

/* Sends what is in memory. Called once, behind the last file. */
void shards_loader_finish(struct shards_loader *loader);

/* Returns how many files a server did not take, and stores its name and the reason, which are borrowed. */
size_t shards_loader_failure(const struct shards_loader *loader, size_t server,
                             const char **ret_host, const char **ret_reason);
