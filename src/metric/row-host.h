/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* row-host - the host of rows: its name, in a window of many hosts, and its boot, which in a file of one host only rows of a sum over several
 * boots have. */
#include "ctprof/base/hash.h"
#include "ctprof/metric/sample.h"

struct row_host {
	struct strbuf name, boot_id;
};

/* Returns whether the row is of the host. */
bool row_host_is(const struct row_host *host, const struct thread_sample *sample);

/* Copies the host of the row. */
void row_host_set(struct row_host *host, const struct thread_sample *sample);

/* Returns a hash of the host, or 0 with neither a name nor a boot. */
uint64_t row_host_hash(const struct hash_seed *seed, const struct strbuf *name,
                       const struct strbuf *boot_id);

/* Frees what it owns. @host may be zeroed. */
void row_host_done(struct row_host *host);
