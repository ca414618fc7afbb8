/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* shards-check - finds files of which a server of ClickHouse has lost facts. A server takes facts without a sync of its disk: a
 * power cut may lose them behind the row of their file; that row has their number. */
#include <stdint.h>

#include "ctprof/base/macro.h"
#include "ctprof/base/strbuf.h"
#include "fleet/fleet-row.h"
#include "shards/shards-address.h"

/* The facts of one set of keys of a file; texts are borrowed for the call. */
struct shards_loss {
	const char *host; /* the server */
	struct span digest, keys;
	uint64_t facts, there;
};

struct shards_check {
	const struct shards_address *address; /* borrowed */
	/* Rows of such files are removed, so that the files can be added again. A server has @patience_ns for that. */
	bool removes;
	uint64_t patience_ns;
	void (*visit)(void *context, const struct shards_loss *loss);
	void *context;
};

/* Asks each server. Returns the number of losses that were visited, or -EIO with a sentence if a server cannot be asked, or has not
 * removed the rows: others have been asked before. */
must_check_ int64_t shards_check(const struct shards_check *check, struct strbuf *reterr);
