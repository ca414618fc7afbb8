// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/row-host.h"

#include <string.h>

static bool is_same_text(const struct strbuf *a, const struct strbuf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

bool row_host_is(const struct row_host *host, const struct thread_sample *sample)
{
	return is_same_text(&sample->host, &host->name) &&
	       is_same_text(&sample->boot_id, &host->boot_id);
}

void row_host_set(struct row_host *host, const struct thread_sample *sample)
{
	strbuf_clear(&host->name);
	strbuf_add(&host->name, strbuf_str(&sample->host), sample->host.len);
	strbuf_clear(&host->boot_id);
	strbuf_add(&host->boot_id, strbuf_str(&sample->boot_id), sample->boot_id.len);
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
