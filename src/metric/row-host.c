// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/row-host.h"

#include <string.h>

bool row_host_is(const struct row_host *host, const struct thread_sample *sample)
{
	return strbuf_equal(&sample->host, &host->name) &&
	       strbuf_equal(&sample->boot_id, &host->boot_id);
}

void row_host_set(struct row_host *host, const struct thread_sample *sample)
{
	strbuf_copy(&host->name, &sample->host);
	strbuf_copy(&host->boot_id, &sample->boot_id);
}

uint64_t row_host_hash(const struct hash_seed *seed, const struct strbuf *name,
                       const struct strbuf *boot_id)
{
	if (name->len == 0 && boot_id->len == 0)
		return 0;
	return hash_bytes(seed, strbuf_str(name), name->len) ^
	       2 * hash_bytes(seed, strbuf_str(boot_id), boot_id->len);
}

void row_host_done(struct row_host *host)
{
	strbuf_done(&host->name);
	strbuf_done(&host->boot_id);
}
